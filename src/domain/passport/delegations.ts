import type { StandingDelegation } from './delegation.ts';
import type { DelegationFault } from './delegation-chain.ts';
import type { DelegationView } from './passport.ts';

/** A link of a chain as it is told. */
export interface ChainLink extends StandingDelegation {
  readonly status: DelegationView['status'];
  /** Place of its proof (kind 30014) in the log. */
  readonly proof_seq: number | null;
}

/** A chain of delegations from its root to the one that was asked about, with its verdict. */
export interface DelegationChain {
  readonly delegation_id: string;
  readonly is_valid: boolean;
  /** Why it does not hold; empty when it does. */
  readonly faults: readonly DelegationFault[];
  /** Whose right it is at the root, who holds it now, and what of it is left. */
  readonly delegator: string;
  readonly delegate: string;
  readonly scope: readonly string[];
  /** RFC 3339: when the first link of it ends. */
  readonly expires_at: string;
  readonly links: readonly ChainLink[];
}

/** Delegations between wallets, signed by those who give them. */
export interface Delegations {
  /**
   * The whole chain of a delegation, judged as it stands now.
   *
   * @throws {AppError} `DELEGATION_UNKNOWN`
   */
  verifyChain(delegationId: string): Promise<DelegationChain>;
  /** Delegations from or to a wallet, the newest first; at most 100. */
  of(wallet: string): Promise<readonly DelegationView[]>;
}
