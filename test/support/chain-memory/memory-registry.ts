import type { IdentityRegistry } from '../../../src/domain/chain/trust-chain.ts';
import type { PaymentFailure } from '../../../src/domain/payment/payment-chain.ts';
import { toContractFault } from '../../../src/providers/chain/trust/contract-fault.ts';
import { typedDigest } from '../../../src/providers/chain/trust/typed-digest.ts';
import { createWalletData } from '../../../src/providers/escrow/escrow-encoding.ts';
import { toError } from './fault-error.ts';
import {
  hasSigned,
  type MemoryAgent,
  type MemoryCall,
  type MemoryContracts,
} from './memory-contracts.ts';

/** The dependencies of the registry in memory. */
export interface MemoryRegistryDeps {
  readonly chainId: number;
  readonly registry: string;
  readonly operator: string;
  readonly contracts: MemoryContracts;
  /** Returns the current time in seconds. */
  readonly nowS: () => number;
}

type Register = Parameters<IdentityRegistry['register']>[0];
type SetWallet = Parameters<IdentityRegistry['setWallet']>[0];

const DEADLINE_AHEAD_MAX_S = 300;
const ADDRESS = /^0x[0-9a-f]{40}$/;
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;

/** Mints an agent, once for each token. */
export function mintAgent(
  { contracts, operator }: MemoryRegistryDeps,
  { token, uri, metadata }: Register,
): MemoryCall & { readonly result: string } {
  const earlier = contracts.calls.get(`register:${token}`);
  if (earlier !== undefined) return { ...earlier, result: earlier.result ?? '' };
  if ('agentWallet' in metadata) throw revertError('ReservedKey', 'agentWallet');
  const agentId = String(contracts.agents.size);
  contracts.agents.set(agentId, { agentId, owner: operator, wallet: null, uri, metadata });
  const call = { ...contracts.mine(), result: agentId };
  contracts.calls.set(`register:${token}`, call);
  return call;
}

/**
 * Sets an agent's wallet, signed by that wallet. @throws {AppError} if the contract would revert
 */
export function setAgentWallet(parts: MemoryRegistryDeps, order: SetWallet): MemoryCall {
  const { chainId, registry } = parts;
  const { agentId, deadlineS, signature } = order;
  const wallet = order.wallet.toLowerCase();
  const agent = requireOwnAgent(parts, agentId);
  const name = `wallet:${agentId}:${wallet}:${deadlineS}`;
  const earlier = parts.contracts.calls.get(name);
  if (earlier !== undefined && agent.wallet === wallet) return earlier;
  if (wallet === ZERO_ADDRESS) throw revertError('WalletMissing');
  if (parts.nowS() > deadlineS) throw revertError('SignatureExpired', deadlineS);
  if (deadlineS > parts.nowS() + DEADLINE_AHEAD_MAX_S)
    throw revertError('DeadlineTooFar', deadlineS);
  const request = { agentId, wallet, owner: agent.owner, deadlineS };
  const digest = typedDigest(createWalletData({ chainId, registry }, request));
  if (!hasSigned(parts.contracts, wallet, { digest, signature })) {
    throw revertError('WalletSignatureInvalid', wallet);
  }
  return storeAgent(parts, { ...agent, wallet }, name);
}

/** Transfers an agent, which clears its wallet. @throws {AppError} if the contract would revert */
export function transferAgent(parts: MemoryRegistryDeps, agentId: string, to: string): MemoryCall {
  const owner = to.toLowerCase();
  const name = `transfer:${agentId}:${owner}`;
  const earlier = parts.contracts.calls.get(name);
  if (earlier !== undefined && parts.contracts.agents.get(agentId)?.owner === owner) return earlier;
  const agent = requireOwnAgent(parts, agentId);
  if (!ADDRESS.test(owner) || owner === ZERO_ADDRESS)
    throw revertError('ERC721InvalidReceiver', owner);
  return storeAgent(parts, { ...agent, owner, wallet: null }, name);
}

/** Sets the URI of an agent's registration file. @throws {AppError} if the contract would revert */
export function setAgentUri(parts: MemoryRegistryDeps, agentId: string, uri: string): MemoryCall {
  const agent = requireOwnAgent(parts, agentId);
  const name = `uri:${agentId}`;
  const earlier = parts.contracts.calls.get(name);
  if (earlier !== undefined && agent.uri === uri) return earlier;
  return storeAgent(parts, { ...agent, uri }, name);
}

function requireOwnAgent(
  { contracts, operator }: MemoryRegistryDeps,
  agentId: string,
): MemoryAgent {
  const agent = contracts.agents.get(agentId);
  if (agent === undefined) throw revertError('ERC721NonexistentToken', agentId);
  if (agent.owner !== operator) throw revertError('NotAuthorized', operator, agentId);
  return agent;
}

function storeAgent(
  { contracts }: MemoryRegistryDeps,
  agent: MemoryAgent,
  name: string,
): MemoryCall {
  contracts.agents.set(agent.agentId, agent);
  const call = contracts.mine();
  contracts.calls.set(name, call);
  return call;
}

function revertError(name: string, ...args: readonly unknown[]) {
  return toError(toContractFault(name, args) as PaymentFailure);
}
