import { setTimeout as sleep } from 'node:timers/promises';
import type { Abi, Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, isAddress } from 'viem/utils';
import { AppError } from '../../domain/common/error.ts';
import type { ChainRpc, RpcRefusal } from '../chain/chain-rpc.ts';
import { classifyNodeError } from '../chain/node-error.ts';

/** An address in the configuration. */
export interface Setting {
  /** The environment variable that sets it. */
  readonly name: string;
  readonly address: Hex;
}

/** A call that is simulated and changes nothing. */
export interface SimulatedCall {
  readonly abi: Abi;
  readonly name: string;
  readonly args?: readonly unknown[];
  readonly from?: Hex;
}

/** The result of a simulated call. `found` describes what was there instead of an answer. */
export type SimulationResult =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly found: string; readonly isRefused: boolean };

/** Node messages for a halt of old contracts, which halt instead of reverting. */
const HALT_MESSAGES = [
  ...['invalid opcode', 'invalid jump', 'invalidjump', 'invalidfeopcode', 'opcodenotfound'],
  ...['stack underflow', 'stackunderflow', 'bad instruction', 'bad jump'],
] as const;
/** Longest text of a contract that is shown, in characters. */
const SHOWN_CHARS_MAX = 100;

/**
 * Simulates a call at an address.
 *
 * @throws {AppError} `CHAIN_UNAVAILABLE` when the node's error says nothing about the contract
 */
export async function simulateCall(
  rpc: ChainRpc,
  to: Hex,
  { abi, name, args = [], from }: SimulatedCall,
): Promise<SimulationResult> {
  const data = encodeFunctionData({ abi, functionName: name, args });
  const call = from === undefined ? { to, data } : { from, to, data };
  const answer = await rpc.ask<Hex>('eth_call', [call, 'latest']);
  if (!answer.ok)
    return { ok: false, found: describeRevert(answer.refusal, name), isRefused: true };
  const { result } = answer;
  try {
    return { ok: true, answer: decodeFunctionResult({ abi, functionName: name, data: result }) };
  } catch {
    return { ok: false, found: `a different kind of ${name}()`, isRefused: false };
  }
}

function describeRevert(refusal: RpcRefusal, functionName: string): string {
  const isHalt = HALT_MESSAGES.some((words) => refusal.message.toLowerCase().includes(words));
  if (isHalt || classifyNodeError(refusal) === 'reverted') return `no ${functionName}()`;
  throw new AppError('CHAIN_UNAVAILABLE', {
    message: 'The chain node rejected a call.',
    data: { asked: functionName, answer: refusal.message },
  });
}

/** Formats a contract's answer, which may be anything, for the operator. */
export function formatAnswer(answer: unknown): string {
  const text = typeof answer === 'string' ? JSON.stringify(answer) : String(answer);
  const isPlain = typeof answer === 'string' && isAddress(answer, { strict: false });
  return isPlain ? answer.toLowerCase() : text.slice(0, SHOWN_CHARS_MAX);
}

/**
 * Creates the error for a wrong address: its setting, what was found there, and what is allowed.
 */
export function wrongSettingError(
  { name, address }: Setting,
  what: { readonly found: string; readonly allowed: string },
): AppError {
  const { found, allowed } = what;
  return new AppError('CONFIG_INVALID', {
    message: `${name} is ${address}. Found there: ${found}. It must be ${allowed}.`,
    data: { setting: name, address, found, allowed },
  });
}

/**
 * Requires code at an address.
 *
 * @throws {AppError} `CONFIG_INVALID` when there is no contract, `CHAIN_UNAVAILABLE`
 */
export async function requireCode(rpc: ChainRpc, setting: Setting, allowed: string): Promise<void> {
  if ((await rpc.call<Hex>('eth_getCode', [setting.address, 'latest'])) !== '0x') return;
  throw wrongSettingError(setting, { found: 'no contract', allowed });
}

/** How often a failed check is repeated, and the pause before each, in milliseconds. */
const CHECK_RETRIES = { times: 2, pauseMs: 500 } as const;

/**
 * Runs a check and repeats it before it fails: some of the nodes behind one address may lack the
 * newest contracts.
 */
export async function checkWithRetries<Found>(check: () => Promise<Found>): Promise<Found> {
  for (let times = 0; ; times += 1) {
    try {
      return await check();
    } catch (thrown) {
      const isVerdict = thrown instanceof AppError && thrown.code === 'CONFIG_INVALID';
      if (!isVerdict || times >= CHECK_RETRIES.times) throw thrown;
      await sleep(CHECK_RETRIES.pauseMs);
    }
  }
}
