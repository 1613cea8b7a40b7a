import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { encodeEventTopics, encodeFunctionData, hexToString, keccak256, toHex } from 'viem/utils';
import type {
  CallOutcome,
  IdentityRegistry,
  RegisteredAgent,
} from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import { REVERT_RETRIES } from '../chain/node-error.ts';
import type { OpenChain } from '../chain/open-chain.ts';
import { IDENTITY_ABI } from '../chain/trust/abi.ts';
import type { CallResult, ContractCaller, GasAccount } from '../chain/trust/caller.ts';
import { toContractFault } from '../chain/trust/contract-fault.ts';
import { callRequiredView, callView } from '../chain/trust/view.ts';
import { createWalletData } from '../escrow/escrow-encoding.ts';
import { isSameAddress } from '../payment/local-check.ts';
import type { Receipt } from '../payment/receipts.ts';

/** The dependencies of the identity registry. */
export interface IdentityRegistryDeps {
  readonly chain: OpenChain;
  readonly caller: ContractCaller;
  /** @throws {AppError} `NOT_CONFIGURED` where there is none */
  readonly registry: () => Hex;
}

type Order<Name extends 'register' | 'setWallet'> = Parameters<IdentityRegistry[Name]>[0];

const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;
const AGENT_ID = /^(0|[1-9]\d{0,76})$/;

/** Creates the identity registry of a chain. */
export function createIdentityRegistry(parts: IdentityRegistryDeps): IdentityRegistry {
  const { chain, registry } = parts;
  const { chainId } = chain;
  return {
    get agentRegistry() {
      return `eip155:${chainId}:${registry().toLowerCase()}`;
    },
    register: (order) => registerAgent(parts, order),
    createWalletRequest: (order) => createWalletData({ chainId, registry: registry() }, order),
    setWallet: (order) => setWallet(parts, order),
    transfer: (agentId, to) => transferAgent(parts, agentId, to),
    setUri: (agentId, uri) => setUri(parts, agentId, uri),
    read: (agentId) => readAgent(parts, agentId),
    metadata: async (agentId, key) => {
      if (!AGENT_ID.test(agentId)) return '';
      const args = [BigInt(agentId), key];
      const view = { to: registry(), abi: IDENTITY_ABI, name: 'getMetadata', args };
      return hexToString(await callRequiredView<Hex>(chain.rpc, view));
    },
  };
}

async function registerAgent(
  { caller, registry }: IdentityRegistryDeps,
  { token, uri, metadata, wallet }: Order<'register'>,
): Promise<CallOutcome<{ readonly agentId: string }>> {
  const to = registry();
  const name = `register:${keccak256(toHex(token))}`;
  const rows = Object.entries(metadata).map(([metadataKey, value]) => {
    return { metadataKey, metadataValue: toHex(value) };
  });
  const args = [uri, rows] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'register', args });
  const earlier = await caller.find(name);
  const outcome = earlier ?? (await caller.call({ to, data, name, gasFor: passportGas(wallet) }));
  if (outcome.state !== 'done') return toCallOutcome(outcome, { agentId: '' });
  const agentId = findMintedAgentId(outcome.receipt) ?? outcome.agentId;
  if (agentId !== undefined) return toCallOutcome(outcome, { agentId });
  const { transaction } = outcome;
  return { state: 'unknown', transaction, detail: 'the registration has no receipt' };
}

/** Returns the agent id in the receipt of a registration. */
export function findMintedAgentId(receipt: Receipt | null): string | undefined {
  const log = receipt?.logs.find(({ topics }) => topics[0] === REGISTERED);
  const [, agentId] = log?.topics ?? [];
  return agentId === undefined ? undefined : BigInt(agentId).toString();
}

async function setWallet(
  parts: IdentityRegistryDeps,
  { agentId, wallet, deadlineS, signature }: Order<'setWallet'>,
): Promise<CallOutcome<null>> {
  if (!AGENT_ID.test(agentId)) return unknownAgent(agentId);
  const args = [BigInt(agentId), toLowerHex(wallet), BigInt(deadlineS), signature as Hex] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'setAgentWallet', args });
  return sendCall(parts, { data, name: `wallet:${keccak256(data)}`, wallet });
}

async function transferAgent(
  parts: IdentityRegistryDeps,
  agentId: string,
  to: string,
): Promise<CallOutcome<null>> {
  const agent = await readAgentWithRetries(parts, agentId);
  if (agent === undefined) return unknownAgent(agentId);
  const operator = parts.chain.accounts.operator.address;
  const name = `transfer:${agentId}:${toLowerHex(to)}`;
  const isDone = isSameAddress(agent.owner, to);
  const earlier = isDone ? await parts.caller.find(name) : undefined;
  if (earlier !== undefined) return toCallOutcome(earlier, null);
  if (!isSameAddress(agent.owner, operator)) {
    const fault = toContractFault('NotAuthorized', [operator, agentId]);
    if (fault !== undefined) return { state: 'refused', fault };
  }
  const args = [operator, toLowerHex(to), BigInt(agentId)] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'safeTransferFrom', args });
  const outcome = await sendCall(parts, { data, name, isRepeatable: true, wallet: to });
  if (outcome.state !== 'refused') return outcome;
  // A node that lags behind reports the previous owner.
  const owner = (await readAgent(parts, agentId))?.owner ?? ZERO_ADDRESS;
  const done = isSameAddress(owner, to) ? await parts.caller.find(name) : undefined;
  return done === undefined ? outcome : toCallOutcome(done, null);
}

async function setUri(
  parts: IdentityRegistryDeps,
  agentId: string,
  uri: string,
): Promise<CallOutcome<null>> {
  const agent = await readAgentWithRetries(parts, agentId);
  if (agent === undefined) return unknownAgent(agentId);
  const name = `uri:${agentId}:${keccak256(toHex(uri))}`;
  const earlier = agent.uri === uri ? await parts.caller.find(name) : undefined;
  if (earlier !== undefined) return toCallOutcome(earlier, null);
  const args = [BigInt(agentId), uri] as const;
  const data = encodeFunctionData({ abi: IDENTITY_ABI, functionName: 'setAgentURI', args });
  return sendCall(parts, { data, name, isRepeatable: true });
}

async function readAgent(
  { chain, registry }: IdentityRegistryDeps,
  agentId: string,
): Promise<RegisteredAgent | undefined> {
  if (!AGENT_ID.test(agentId)) return undefined;
  const question = { to: registry(), abi: IDENTITY_ABI, args: [BigInt(agentId)] };
  const [owner, wallet, uri] = await Promise.all([
    callView<Hex>(chain.rpc, { ...question, name: 'ownerOf' }),
    callView<Hex>(chain.rpc, { ...question, name: 'getAgentWallet' }),
    callView<string>(chain.rpc, { ...question, name: 'tokenURI' }),
  ]);
  if (owner === undefined) return undefined;
  // The minter becomes the first wallet, so the operator's address means no wallet.
  const isBound =
    wallet !== undefined &&
    wallet !== ZERO_ADDRESS &&
    !isSameAddress(wallet, chain.accounts.operator.address);
  return {
    agentId,
    owner: toLowerHex(owner),
    wallet: isBound ? toLowerHex(wallet) : null,
    uri: uri ?? '',
  };
}

/**
 * Reads an agent. If a node does not know it, the read is repeated, since the node may lag behind.
 */
async function readAgentWithRetries(
  parts: IdentityRegistryDeps,
  agentId: string,
): Promise<RegisteredAgent | undefined> {
  const times = parts.chain.isLocal ? 0 : REVERT_RETRIES.times;
  let agent = await readAgent(parts, agentId);
  for (let looks = 0; agent === undefined && looks < times; looks += 1) {
    await sleep(REVERT_RETRIES.pauseMs);
    agent = await readAgent(parts, agentId);
  }
  return agent;
}

interface RegistryCall {
  readonly data: Hex;
  readonly name: string;
  readonly isRepeatable?: boolean;
  /** Wallet of the requester; absent for the operator itself. */
  readonly wallet?: string;
}

async function sendCall(
  { caller, registry }: IdentityRegistryDeps,
  { wallet, ...order }: RegistryCall,
): Promise<CallOutcome<null>> {
  return toCallOutcome(
    await caller.call({ ...order, to: registry(), gasFor: passportGas(wallet) }),
    null,
  );
}

function passportGas(wallet: string | undefined): GasAccount {
  return { purpose: 'passports', ...(wallet === undefined ? {} : { wallet }) };
}

/** Converts the outcome of a call and adds its result. */
export function toCallOutcome<Result>(called: CallResult, result: Result): CallOutcome<Result> {
  switch (called.state) {
    case 'done':
      return {
        state: 'done',
        transaction: called.transaction,
        block: called.block,
        result,
      };
    case 'refused':
      return { state: 'refused', fault: called.fault };
    case 'unknown':
      return called;
  }
}

function unknownAgent(agentId: string): CallOutcome<null> {
  const { message } = new AppError('PASSPORT_UNKNOWN');
  return { state: 'refused', fault: { code: 'PASSPORT_UNKNOWN', message, data: { agentId } } };
}

function toLowerHex(address: string): Hex {
  return address.toLowerCase() as Hex;
}

const [REGISTERED] = encodeEventTopics({ abi: IDENTITY_ABI, eventName: 'Registered' });
