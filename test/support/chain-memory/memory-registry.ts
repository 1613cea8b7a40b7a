import type { IdentityRegistry } from '../../../src/domain/chain/trust-chain.ts';
import type { PaymentFault } from '../../../src/domain/payment/payment-chain.ts';
import { contractFault, faultError } from '../../../src/providers/chain/trust/refusal.ts';
import { typedDigest } from '../../../src/providers/chain/trust/typed-digest.ts';
import { walletData } from '../../../src/providers/escrow/escrow-words.ts';
import {
  hasSigned,
  type MemoryAgent,
  type MemoryCall,
  type MemoryContracts,
} from './memory-contracts.ts';

/** The dependencies of the registry in memory. */
export interface MemoryRegistryParts {
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
const NOBODY = `0x${'00'.repeat(20)}`;

/** Mints an agent, once for each token. */
export function mintAgent(
  { contracts, operator }: MemoryRegistryParts,
  { token, uri, metadata }: Register,
): MemoryCall & { readonly result: string } {
  const earlier = contracts.calls.get(`register:${token}`);
  if (earlier !== undefined) return { ...earlier, result: earlier.result ?? '' };
  if ('agentWallet' in metadata) throw refused('ReservedKey', 'agentWallet');
  const agentId = String(contracts.agents.size);
  contracts.agents.set(agentId, { agentId, owner: operator, wallet: null, uri, metadata });
  const call = { ...contracts.mine(), result: agentId };
  contracts.calls.set(`register:${token}`, call);
  return call;
}

/**
 * Sets an agent's wallet, signed by that wallet. @throws {AppError} if the contract would revert
 */
export function bindWallet(parts: MemoryRegistryParts, order: SetWallet): MemoryCall {
  const { chainId, registry } = parts;
  const { agentId, deadlineS, signature } = order;
  const wallet = order.wallet.toLowerCase();
  const agent = ownAgent(parts, agentId);
  const name = `wallet:${agentId}:${wallet}:${deadlineS}`;
  const earlier = parts.contracts.calls.get(name);
  if (earlier !== undefined && agent.wallet === wallet) return earlier;
  if (wallet === NOBODY) throw refused('WalletMissing');
  if (parts.nowS() > deadlineS) throw refused('SignatureExpired', deadlineS);
  if (deadlineS > parts.nowS() + DEADLINE_AHEAD_MAX_S) throw refused('DeadlineTooFar', deadlineS);
  const request = { agentId, wallet, owner: agent.owner, deadlineS };
  const digest = typedDigest(walletData({ chainId, registry }, request));
  if (!hasSigned(parts.contracts, wallet, { digest, signature })) {
    throw refused('WalletSignatureInvalid', wallet);
  }
  return changed(parts, { ...agent, wallet }, name);
}

/** Transfers an agent, which clears its wallet. @throws {AppError} if the contract would revert */
export function handOver(parts: MemoryRegistryParts, agentId: string, to: string): MemoryCall {
  const owner = to.toLowerCase();
  const name = `transfer:${agentId}:${owner}`;
  const earlier = parts.contracts.calls.get(name);
  if (earlier !== undefined && parts.contracts.agents.get(agentId)?.owner === owner) return earlier;
  const agent = ownAgent(parts, agentId);
  if (!ADDRESS.test(owner) || owner === NOBODY) throw refused('ERC721InvalidReceiver', owner);
  return changed(parts, { ...agent, owner, wallet: null }, name);
}

/** Sets the URI of an agent's registration file. @throws {AppError} if the contract would revert */
export function changeUri(parts: MemoryRegistryParts, agentId: string, uri: string): MemoryCall {
  const agent = ownAgent(parts, agentId);
  const name = `uri:${agentId}`;
  const earlier = parts.contracts.calls.get(name);
  if (earlier !== undefined && agent.uri === uri) return earlier;
  return changed(parts, { ...agent, uri }, name);
}

function ownAgent({ contracts, operator }: MemoryRegistryParts, agentId: string): MemoryAgent {
  const agent = contracts.agents.get(agentId);
  if (agent === undefined) throw refused('ERC721NonexistentToken', agentId);
  if (agent.owner !== operator) throw refused('NotAuthorized', operator, agentId);
  return agent;
}

function changed({ contracts }: MemoryRegistryParts, agent: MemoryAgent, name: string): MemoryCall {
  contracts.agents.set(agent.agentId, agent);
  const call = contracts.mine();
  contracts.calls.set(name, call);
  return call;
}

function refused(name: string, ...args: readonly unknown[]) {
  return faultError(contractFault(name, args) as PaymentFault);
}
