import { setTimeout as sleep } from 'node:timers/promises';
import type { Abi, Hex } from 'viem';
import { decodeErrorResult } from 'viem/utils';
import { AppError } from '../../domain/common/error.ts';
import { batchedCalls, type RpcReply } from './rpc-batch.ts';

/** One node, asked over JSON-RPC. Calls made in the same tick travel in one request. */
export interface ChainRpc {
  /**
   * @throws {AppError} `CHAIN_UNAVAILABLE` when there is no answer, or the answer is an error
   */
  call<Result>(method: string, params: readonly unknown[]): Promise<Result>;
  /**
   * As `call`, with an error answer as a value.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE` when there is no answer
   */
  ask<Result>(method: string, params: readonly unknown[]): Promise<RpcAnswer<Result>>;
}

/** What a node answered. */
export type RpcAnswer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly refusal: RpcRefusal };

/** An error that the node itself answered with, so the call did arrive. */
export interface RpcRefusal {
  /** Of JSON-RPC, where the node gave one. */
  readonly code?: number;
  readonly message: string;
  /** Revert data, when a contract refused. */
  readonly data: Hex | undefined;
}

const NOTICE_MS = 100;
/**
 * A node that keeps no old states refuses a question when a block comes between taking the question
 * and answering it. The question alone is asked again; nothing was done.
 */
const OVERTAKEN = /^BlockOutOfRangeError/;
const OVERTAKEN_TRIES = 50;

/**
 * Opens a connection; nothing is sent yet. `timeoutMs` bounds each request. With `revived`, a
 * request without an answer is repeated once when that resolves.
 */
export function openRpc(
  rpcUrl: string,
  timeoutMs: number,
  revived?: () => Promise<void>,
): ChainRpc {
  const send = batchedCalls(rpcUrl, timeoutMs);
  const once = async <Result>(
    method: string,
    params: readonly unknown[],
    tries = 1,
  ): Promise<RpcAnswer<Result>> => {
    const { error, result } = await send({ method, params }).catch((cause: unknown) => {
      throw new AppError('CHAIN_UNAVAILABLE', { cause });
    });
    if (error !== undefined && OVERTAKEN.test(error.message) && tries < OVERTAKEN_TRIES) {
      return once<Result>(method, params, tries + 1);
    }
    if (error !== undefined) return { ok: false, refusal: refusalOf(error) } as const;
    return { ok: true, result: result as Result } as const;
  };
  const ask = async <Result>(method: string, params: readonly unknown[]) => {
    if (revived === undefined) return once<Result>(method, params);
    await revived();
    try {
      return await once<Result>(method, params);
    } catch {
      // Long enough for the end of a child to be noticed, so that `revived` waits for the next.
      await sleep(NOTICE_MS);
      await revived();
      return once<Result>(method, params);
    }
  };
  return {
    ask,
    call: async <Result>(method: string, params: readonly unknown[]) => {
      const answer = await ask<Result>(method, params);
      if (answer.ok) return answer.result;
      throw new AppError('CHAIN_UNAVAILABLE', {
        message: 'The chain refused a call.',
        data: { method, answer: answer.refusal.message },
      });
    },
  };
}

/** The name of the contract error in a refusal, or the text that it was refused with. */
export function reasonOf(refusal: RpcRefusal, abi: Abi): string {
  if (refusal.data === undefined || refusal.data === '0x') return refusal.message;
  try {
    const { errorName, args } = decodeErrorResult({ abi, data: refusal.data });
    return errorName === 'Error' ? String(args?.[0]) : errorName;
  } catch {
    return refusal.message;
  }
}

function refusalOf({ code, message, data }: NonNullable<RpcReply['error']>): RpcRefusal {
  const text = message.slice(0, MESSAGE_CHARS_MAX);
  return { message: text, data: hexOf(data), ...(typeof code === 'number' ? { code } : {}) };
}

/** Longest text of an error answer that is read and shown. */
const MESSAGE_CHARS_MAX = 1_000;
/** Revert data; some nodes write a word before it. */
const REVERT_DATA = /^(?:Reverted )?(0x[0-9a-fA-F]*)$/;

function hexOf(data: unknown): Hex | undefined {
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  const [, hex] = typeof inner === 'string' ? (REVERT_DATA.exec(inner) ?? []) : [];
  return hex as Hex | undefined;
}
