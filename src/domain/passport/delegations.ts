import type { DelegationState } from './delegation.ts';
import type { DelegationViolation } from './delegation-chain.ts';
import type { DelegationView } from './passport.ts';

/** A link of a delegation chain. */
export interface ChainLink extends DelegationState {
  readonly status: DelegationView['status'];
  /** Position of its proof (kind 30014) in the log. */
  readonly proof_seq: number | null;
}

/** A delegation chain from its root to the requested delegation, with its verdict. */
export interface DelegationChain {
  readonly delegation_id: string;
  readonly is_valid: boolean;
  /** Why the chain is invalid; empty if valid. */
  readonly faults: readonly DelegationViolation[];
  /** Original delegator, current delegate and remaining scope. */
  readonly delegator: string;
  readonly delegate: string;
  readonly scope: readonly string[];
  /** RFC 3339: earliest expiry of all links. */
  readonly expires_at: string;
  readonly links: readonly ChainLink[];
}

/** Delegations between wallets, signed by the delegators. */
export interface Delegations {
  /**
   * Returns the chain of a delegation with its current verdict.
   *
   * @throws {AppError} `DELEGATION_UNKNOWN`
   */
  verifyChain(delegationId: string): Promise<DelegationChain>;
  /** Returns up to 100 delegations from or to a wallet, newest first. */
  listByWallet(wallet: string): Promise<readonly DelegationView[]>;
}
