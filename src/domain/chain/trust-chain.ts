import type { JsonObject } from '../common/json.ts';
import type { MicroUsdText } from '../common/money.ts';
import type { Authorization } from '../payment/payment.ts';
import type { PaymentFault } from '../payment/payment-chain.ts';
import type { TypedData } from '../wallet/typed-data.ts';

/** Addresses of the contracts, in lower case; `null` where a chain has none of that kind. */
export interface TrustContracts {
  readonly identity: string | null;
  readonly reputation: string | null;
  readonly validation: string | null;
  readonly escrow: string | null;
  readonly anchor: string | null;
  /** The retired prediction platform. */
  readonly prediction: string | null;
}

/** What became of a call that the operator sent. `unknown`: ask the chain, never pay again. */
export type CallOutcome<Result> =
  | {
      readonly state: 'done';
      readonly transaction: string;
      readonly block: number;
      readonly result: Result;
    }
  | { readonly state: 'refused'; readonly fault: PaymentFault }
  | { readonly state: 'unknown'; readonly transaction: string | null; readonly detail: string };

/**
 * The contracts that trust stands on. Reads and calls throw `CHAIN_UNAVAILABLE` when no node
 * answers, and `NOT_CONFIGURED` where the chain has no such contract; a call that may be under way
 * is `unknown` instead.
 */
export interface TrustChain {
  readonly contracts: TrustContracts;
  /** Account that sends the calls, in lower case: registrar, escrow operator, arbiter, log. */
  readonly operator: string;
  readonly identity: IdentityRegistry;
  readonly escrow: EscrowContract;
  readonly anchor: AnchorContract;
  /** Tells whether a wallet signed: by its key, or as a contract (ERC-1271). */
  isSignedBy(wallet: string, data: TypedData, signature: string): Promise<boolean>;
  /** Signs a statement of the service with its treasury's key (EIP-712 over the payload's hash). */
  signStatement(statement: NewStatement): SignedStatement;
  /** Seconds of the newest block, which is the time that contracts go by. */
  nowS(): Promise<number>;
  /**
   * Transactions of jobs that were told as done and are gone from the chain, which was reorganised
   * deeper than anybody waits. Absent where that does not happen.
   */
  readonly undone?: () => ReadonlySet<string>;
  /** How many markets the retired prediction platform has, read from its contract. */
  markets(): Promise<{ readonly count: string; readonly block: number }>;
  /**
   * The least budget of a job whose fee covers the gas that is paid for it, in micro-dollars.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE`
   */
  jobMinimum(): Promise<MicroUsdText>;
  /** How many payments of a wallet were settled here; 0 for one that never paid. */
  paidCalls(wallet: string): number;
  /** Gas that calls of the operator have used since midnight UTC, and what a day may use. */
  gas(): { readonly used: string; readonly budget: string | null };
}

/** Something that the service states, to be signed. */
export interface NewStatement {
  /** Such as `prehire_report`. */
  readonly kind: string;
  readonly payload: JsonObject;
  /** Milliseconds. */
  readonly issuedAt: number;
}

/** A statement under the service's signature. Verified from its own members alone. */
export interface SignedStatement {
  readonly kind: string;
  /** RFC 3339. */
  readonly issued_at: string;
  /** SHA-256 over the canonical JSON (RFC 8785) of the payload, in hex. */
  readonly payload_hash: string;
  readonly signature: {
    readonly alg: 'eip712';
    readonly signer: string;
    readonly chain_id: number;
    readonly value: string;
  };
}

/** An agent as the registry holds it. */
export interface RegisteredAgent {
  readonly agentId: string;
  readonly owner: string;
  /** The wallet that proved itself; `null` when none has. */
  readonly wallet: string | null;
  readonly uri: string;
}

/** The identity registry (ERC-8004). */
export interface IdentityRegistry {
  /** Such as `eip155:31337:0x…`. */
  readonly agentRegistry: string;
  /**
   * Mints an agent to the operator. Safe to repeat with one token: it finds what was minted.
   * Refused with `GAS_BUDGET` above the day's budget.
   */
  register(order: {
    /** Whom it is minted for; absent for the operator's own. */
    readonly wallet?: string;
    readonly token: string;
    readonly uri: string;
    readonly metadata: Readonly<Record<string, string>>;
  }): Promise<CallOutcome<{ readonly agentId: string }>>;
  /** What a wallet signs to be bound. `deadlineS`: at most five minutes ahead. */
  walletRequest(order: {
    readonly agentId: string;
    readonly wallet: string;
    readonly owner: string;
    readonly deadlineS: number;
  }): TypedData;
  setWallet(order: {
    readonly agentId: string;
    readonly wallet: string;
    readonly deadlineS: number;
    readonly signature: string;
  }): Promise<CallOutcome<null>>;
  /** Hands the token of an agent over; only while the operator owns it. Safe to repeat. */
  transfer(agentId: string, to: string): Promise<CallOutcome<null>>;
  setUri(agentId: string, uri: string): Promise<CallOutcome<null>>;
  /** @returns `undefined` for an id that was never given. */
  read(agentId: string): Promise<RegisteredAgent | undefined>;
  metadata(agentId: string, key: string): Promise<string>;
}

/** Terms of an escrowed job. Their hash is the job's key on the chain. */
export interface EscrowTerms {
  /** 32 bytes in hex. */
  readonly jobId: string;
  readonly buyer: string;
  readonly provider: string;
  readonly amount: MicroUsdText;
  /** Unix seconds. */
  readonly fulfilByS: number;
}

/** A move on a job of the escrow; those of a party carry the party's signature. */
export type EscrowMove =
  | { readonly move: 'fulfil'; readonly deliverable: string; readonly signature: string }
  | { readonly move: 'release'; readonly signature: string }
  | { readonly move: 'giveBack'; readonly signature: string }
  | { readonly move: 'dispute'; readonly reason: string; readonly signature: string }
  | { readonly move: 'withdrawDispute'; readonly signature: string }
  | { readonly move: 'settleExpired' }
  | { readonly move: 'refundUnfulfilled' }
  /** Of an escrow of version 1 only: see {@link EscrowedJob.undecidedRefundS}. */
  | { readonly move: 'refundUndecided' }
  | { readonly move: 'decide'; readonly isForProvider: boolean; readonly verdict: string };

/** A move that a party signs, before it is signed. `deliverable`, `reason`: 32 bytes in hex. */
export type PartyMove =
  | { readonly move: 'fulfil'; readonly deliverable: string }
  | { readonly move: 'release' }
  | { readonly move: 'giveBack' }
  | { readonly move: 'dispute'; readonly reason: string }
  | { readonly move: 'withdrawDispute' };

/** States of a job on the chain, in the contract's order. */
export const ESCROW_STATES = [
  'none',
  'escrowed',
  'fulfilled',
  'disputed',
  'released',
  'refunded',
] as const;
/** See {@link ESCROW_STATES}. */
export type EscrowState = (typeof ESCROW_STATES)[number];

/** A job as the chain holds it. Times are unix seconds; 0 where there is none yet. */
export interface EscrowedJob {
  readonly state: EscrowState;
  readonly buyer: string;
  readonly provider: string;
  readonly amount: MicroUsdText;
  readonly fulfilByS: number;
  readonly releaseByS: number;
  readonly disputedAtS: number;
  /** When time alone refunds a dispute that nobody decides: in an escrow of version 1 only. */
  readonly undecidedRefundS: number;
  readonly deliverable: string;
}

/**
 * A confirmed log of the escrow. `isOwed`: the token did not let the money through, as to a frozen
 * account; the escrow keeps it for the party.
 */
export interface EscrowLog {
  readonly key: string;
  readonly event:
    | { readonly name: 'JobEscrowed'; readonly jobId: string; readonly amount: MicroUsdText }
    | { readonly name: 'JobFulfilled'; readonly deliverable: string; readonly releaseByS: number }
    | {
        readonly name: 'JobReleased';
        readonly provider: string;
        readonly net: MicroUsdText;
        readonly fee: MicroUsdText;
        readonly isAutomatic: boolean;
        readonly isOwed?: boolean;
      }
    | {
        readonly name: 'JobRefunded';
        readonly buyer: string;
        readonly amount: MicroUsdText;
        readonly isOwed?: boolean;
      }
    /** `decideByS`: when time alone refunds it; 0 where only people end a dispute. */
    | { readonly name: 'JobDisputed'; readonly reason: string; readonly decideByS: number }
    | { readonly name: 'DisputeWithdrawn'; readonly releaseByS: number }
    | {
        readonly name: 'DisputeDecided';
        readonly isForProvider: boolean;
        readonly verdict: string;
      };
  readonly transaction: string;
  readonly block: number;
  readonly blockHash: string;
  readonly logIndex: number;
  /** Unix seconds of the block. */
  readonly atS: number;
}

/** The escrow (contracts/JobEscrow.sol). */
export interface EscrowContract {
  readonly feeBps: number;
  /** Computed here; equals the contract's. */
  keyOf(terms: EscrowTerms): string;
  /**
   * Brings the buyer's authorization. `terms`: its nonce is the job's key, so the buyer signed the
   * terms; `exact`: an ordinary x402 payment, for whose terms the operator vouches. Safe to repeat.
   * Money that somebody else has brought already becomes the job by `creditOrphan`.
   */
  fund(order: {
    readonly terms: EscrowTerms;
    readonly authorization: Authorization;
    readonly signature: string;
    readonly form: 'terms' | 'exact';
  }): Promise<CallOutcome<{ readonly key: string }>>;
  /** Gives back money of an authorization that became no job. Safe to repeat. */
  returnOrphan(authorization: Authorization): Promise<CallOutcome<null>>;
  /** Sends a move. Safe to repeat: the contract takes each once; a repeat is `done` or refused. */
  move(key: string, move: EscrowMove): Promise<CallOutcome<null>>;
  /** What a party signs for a move. */
  moveRequest(key: string, move: PartyMove): TypedData;
  job(key: string): Promise<EscrowedJob>;
  /** What it could not send to a party, and the party can fetch. */
  owed(party: string): Promise<MicroUsdText>;
  /** What it has, as of one block. */
  holdings(): Promise<{
    readonly block: number;
    readonly balance: MicroUsdText;
    readonly held: MicroUsdText;
    readonly owed: MicroUsdText;
    readonly unaccounted: MicroUsdText;
  }>;
  /** Confirmed logs from a block on, in order, with the block up to which they are complete. */
  logs(fromBlock: number): Promise<{ readonly logs: readonly EscrowLog[]; readonly upTo: number }>;
  /**
   * Calls back with each batch of new confirmed logs, from a block on, until it is ended. A batch
   * is repeated while the listener rejects.
   */
  follow(
    fromBlock: number,
    listener: (logs: readonly EscrowLog[], upTo: number) => Promise<void>,
  ): () => void;
}

/** Where roots of the log of proofs are anchored (contracts/ProofAnchor.sol). */
export interface AnchorContract {
  /** `root`: 32 bytes in hex. Safe to repeat; a smaller size is refused. */
  anchor(size: number, root: string): Promise<CallOutcome<null>>;
  latest(): Promise<{ readonly size: number; readonly root: string } | undefined>;
  /** The confirmed anchor that covers a size: the first one at it or above. */
  covering(size: number): Promise<
    | {
        readonly size: number;
        readonly root: string;
        readonly transaction: string;
        readonly block: number;
      }
    | undefined
  >;
}
