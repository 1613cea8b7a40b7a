import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { encodeEventTopics, encodeFunctionData, hexToString, keccak256, toHex } from 'viem/utils';
import type {
  CallOutcome,
  IdentityRegistry,
  RegisteredAgent,
} from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import type { OpenChain } from '../chain/local/local-chain.ts';
import { REFUSAL } from '../chain/node-error.ts';
import { IDENTITY_ABI } from '../chain/trust/abi.ts';
import type { Called, Caller, GasAccount } from '../chain/trust/caller.ts';
import { contractFault } from '../chain/trust/refusal.ts';
import { ask, askSurely } from '../chain/trust/view.ts';
import { walletData } from '../escrow/escrow-words.ts';
import { isSameAddress } from '../payment/local-check.ts';
import type { Receipt } from '../payment/receipts.ts';

/** The dependencies of the identity registry. */
export interface IdentityParts {
  readonly chain: OpenChain;
  readonly caller: Caller;
  /** @throws {AppError} `NOT_CONFIGURED` where there is none */
  readonly registry: () => Hex;
}

type Order<Name extends 'register' | 'setWallet'> = Parameters<IdentityRegistry[Name]>[0];

const NOBODY = `0x${'00'.repeat(20)}`;
const AGENT_ID = /^(0|[1-9]\d{0,76})$/;

/** Creates the identity registry of a chain. */
export function openIdentity(parts: IdentityParts): IdentityRegistry {
  const { chain, registry } = parts;
  const { chainId } = chain;
  return {
    get agentRegistry() {
      return `eip155:${chainId}:${registry().toLowerCase()}`;
    },
    register: (order) => register(parts, order),
    walletRequest: (order) => walletData({ chainId, registry: registry() }, order),
    setWallet: (order) => setWallet(parts, order),
    transfer: (agentId, to) => transfer(parts, agentId, to),
    setUri: (agentId, uri) => setUri(parts, agentId, uri),
    read: (agentId) => read(parts, agentId),
    metadata: async (agentId, key) => {
      if (!AGENT_ID.test(agentId)) return '';
      const args = [BigInt(agentId), key];
      const view = { to: registry(), abi: IDENTITY_ABI, name: 'getMetadata', args };
      return hexToString(await askSurely<Hex>(chain.rpc, view));
    },
  };
}

async function register(
  { caller, registry }: IdentityParts,
  { token, uri, metadata, wallet }: Order<'register'>,
): Promise<CallOutcome<{ readonly agentId: string }>> {
  const to = registry();
  const name = `register:${keccak256(toHex(token))}`;
  const rows = Object.entries(metadata).map(([metadataKey, value]) => {
    return { metadataKey, metadataValue: toHex(value) };
  });
  const args = [uri, rows] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'register', args });
  const before = await caller.find(name);
  const outcome = before ?? (await caller.call({ to, data, name, gasFor: gasOf(wallet) }));
  if (outcome.state !== 'done') return plain(outcome, { agentId: '' });
  const agentId = mintedOf(outcome.receipt) ?? outcome.agentId;
  if (agentId !== undefined) return plain(outcome, { agentId });
  const { transaction } = outcome;
  return { state: 'unknown', transaction, detail: 'the registration has no receipt' };
}

/** Returns the agent id in the receipt of a registration. */
export function mintedOf(receipt: Receipt | null): string | undefined {
  const log = receipt?.logs.find(({ topics }) => topics[0] === REGISTERED);
  const [, agentId] = log?.topics ?? [];
  return agentId === undefined ? undefined : BigInt(agentId).toString();
}

async function setWallet(
  parts: IdentityParts,
  { agentId, wallet, deadlineS, signature }: Order<'setWallet'>,
): Promise<CallOutcome<null>> {
  if (!AGENT_ID.test(agentId)) return missing(agentId);
  const args = [BigInt(agentId), lower(wallet), BigInt(deadlineS), signature as Hex] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'setAgentWallet', args });
  return send(parts, { data, name: `wallet:${keccak256(data)}`, wallet });
}

async function transfer(
  parts: IdentityParts,
  agentId: string,
  to: string,
): Promise<CallOutcome<null>> {
  const agent = await readPatiently(parts, agentId);
  if (agent === undefined) return missing(agentId);
  const operator = parts.chain.accounts.operator.address;
  const name = `transfer:${agentId}:${lower(to)}`;
  const isDone = isSameAddress(agent.owner, to);
  const earlier = isDone ? await parts.caller.find(name) : undefined;
  if (earlier !== undefined) return plain(earlier, null);
  if (!isSameAddress(agent.owner, operator)) {
    const fault = contractFault('NotAuthorized', [operator, agentId]);
    if (fault !== undefined) return { state: 'refused', fault };
  }
  const args = [operator, lower(to), BigInt(agentId)] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'safeTransferFrom', args });
  const outcome = await send(parts, { data, name, isRepeatable: true, wallet: to });
  if (outcome.state !== 'refused') return outcome;
  // A node that lags behind reports the previous owner.
  const owner = (await read(parts, agentId))?.owner ?? NOBODY;
  const done = isSameAddress(owner, to) ? await parts.caller.find(name) : undefined;
  return done === undefined ? outcome : plain(done, null);
}

async function setUri(
  parts: IdentityParts,
  agentId: string,
  uri: string,
): Promise<CallOutcome<null>> {
  const agent = await readPatiently(parts, agentId);
  if (agent === undefined) return missing(agentId);
  const name = `uri:${agentId}:${keccak256(toHex(uri))}`;
  const earlier = agent.uri === uri ? await parts.caller.find(name) : undefined;
  if (earlier !== undefined) return plain(earlier, null);
  const args = [BigInt(agentId), uri] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'setAgentURI', args });
  return send(parts, { data, name, isRepeatable: true });
}

async function read(
  { chain, registry }: IdentityParts,
  agentId: string,
): Promise<RegisteredAgent | undefined> {
  if (!AGENT_ID.test(agentId)) return undefined;
  const question = { to: registry(), abi: IDENTITY_ABI, args: [BigInt(agentId)] };
  const [owner, wallet, uri] = await Promise.all([
    ask<Hex>(chain.rpc, { ...question, name: 'ownerOf' }),
    ask<Hex>(chain.rpc, { ...question, name: 'getAgentWallet' }),
    ask<string>(chain.rpc, { ...question, name: 'tokenURI' }),
  ]);
  if (owner === undefined) return undefined;
  // The minter becomes the first wallet, so the operator's address means no wallet.
  const isBound =
    wallet !== undefined &&
    wallet !== NOBODY &&
    !isSameAddress(wallet, chain.accounts.operator.address);
  return {
    agentId,
    owner: lower(owner),
    wallet: isBound ? lower(wallet) : null,
    uri: uri ?? '',
  };
}

/**
 * Reads an agent. If a node does not know it, the read is repeated, since the node may lag behind.
 */
async function readPatiently(
  parts: IdentityParts,
  agentId: string,
): Promise<RegisteredAgent | undefined> {
  const times = parts.chain.isLocal ? 0 : REFUSAL.times;
  let agent = await read(parts, agentId);
  for (let looks = 0; agent === undefined && looks < times; looks += 1) {
    await sleep(REFUSAL.pauseMs);
    agent = await read(parts, agentId);
  }
  return agent;
}

interface Sent {
  readonly data: Hex;
  readonly name: string;
  readonly isRepeatable?: boolean;
  /** Wallet of the requester; absent for the operator itself. */
  readonly wallet?: string;
}

async function send(
  { caller, registry }: IdentityParts,
  { wallet, ...order }: Sent,
): Promise<CallOutcome<null>> {
  return plain(await caller.call({ ...order, to: registry(), gasFor: gasOf(wallet) }), null);
}

function gasOf(wallet: string | undefined): GasAccount {
  return { purpose: 'passports', ...(wallet === undefined ? {} : { wallet }) };
}

/** Converts the outcome of a call and adds its result. */
export function plain<Result>(called: Called, result: Result): CallOutcome<Result> {
  switch (called.state) {
    case 'done':
      return {
        ...{ state: 'done', transaction: called.transaction, block: called.block },
        result,
      };
    case 'refused':
      return { state: 'refused', fault: called.fault };
    case 'unknown':
      return called;
  }
}

function missing(agentId: string): CallOutcome<null> {
  const { message } = new AppError('PASSPORT_UNKNOWN');
  return { state: 'refused', fault: { code: 'PASSPORT_UNKNOWN', message, data: { agentId } } };
}

function lower(address: string): Hex {
  return address.toLowerCase() as Hex;
}

const [REGISTERED] = encodeEventTopics({ abi: IDENTITY_ABI, eventName: 'Registered' });
