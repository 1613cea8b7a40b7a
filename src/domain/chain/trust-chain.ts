import type { JsonObject } from '../common/json.ts';
import type { MicroUsdText } from '../common/money.ts';
import type { Authorization } from '../payment/payment.ts';
import type { PaymentFailure } from '../payment/payment-chain.ts';
import type { TypedData } from '../wallet/typed-data.ts';

/** Contract addresses in lower case; `null` if the chain does not have the contract. */
export interface TrustContracts {
  readonly identity: string | null;
  readonly reputation: string | null;
  readonly validation: string | null;
  readonly escrow: string | null;
  readonly anchor: string | null;
  /** The retired prediction platform. */
  readonly prediction: string | null;
}

/** Outcome of a call that the operator sent. For `unknown`, check the chain; never pay again. */
export type CallOutcome<Result> =
  | {
      readonly state: 'done';
      readonly transaction: string;
      readonly block: number;
      readonly result: Result;
    }
  | { readonly state: 'refused'; readonly fault: PaymentFailure }
  | { readonly state: 'unknown'; readonly transaction: string | null; readonly detail: string };

/**
 * Outcome of returning money that became no job. `unspent`: the authorization can still be used, or
 * the node is behind and has not seen its use.
 */
export type OrphanOutcome = CallOutcome<null> | { readonly state: 'unspent' };

/**
 * The contracts that the trust tools use.
 *
 * Reads and calls throw `CHAIN_UNAVAILABLE` if no node responds, and `NOT_CONFIGURED` if the chain
 * does not have the contract. A call that may be in flight returns `unknown` instead.
 */
export interface TrustChain {
  readonly contracts: TrustContracts;
  /** Account that sends the calls, in lower case: registrar, escrow operator, arbiter and log. */
  readonly operator: string;
  readonly identity: IdentityRegistry;
  readonly reputation: FeedbackRegistry;
  readonly escrow: EscrowContract;
  readonly anchor: AnchorContract;
  /**
   * Returns whether a wallet signed typed data (EIP-712) or a text (EIP-191), with its key or as a
   * contract (ERC-1271).
   */
  isSignedBy(wallet: string, data: TypedData | string, signature: string): Promise<boolean>;
  /** Signs a statement of the service with the treasury key (EIP-712 over the payload hash). */
  signStatement(statement: NewStatement): SignedStatement;
  /** Timestamp of the newest block in seconds; contracts use this time. */
  nowS(): Promise<number>;
  /**
   * Transactions of completed jobs that a deep chain reorganisation removed. Absent on chains that
   * cannot reorganise that deeply.
   */
  readonly revertedTransactions?: () => ReadonlySet<string>;
  /** Number of markets on the retired prediction platform, read from its contract. */
  readMarketCount(): Promise<{ readonly count: string; readonly block: number }>;
  /**
   * Returns the smallest job budget whose fee covers the gas, in micro-dollars.
   *
   * @throws {AppError} `CHAIN_UNAVAILABLE` if no node responds.
   */
  readMinimumJobBudget(): Promise<MicroUsdText>;
  /** Number of settled payments of a wallet on this server. */
  countPaidCalls(wallet: string): number;
  /** Gas that the operator used since midnight UTC, and the daily budget. */
  gasUsage(): { readonly used: string; readonly budget: string | null };
}

/** A statement of the service before it is signed. */
export interface NewStatement {
  /** For example `prehire_report`. */
  readonly kind: string;
  readonly payload: JsonObject;
  /** Milliseconds. */
  readonly issuedAt: number;
}

/** A signed statement of the service. It can be verified from its own members alone. */
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

/** An agent as stored in the registry. */
export interface RegisteredAgent {
  readonly agentId: string;
  readonly owner: string;
  /** The wallet that proved its key; `null` if none did. */
  readonly wallet: string | null;
  readonly uri: string;
}

/** The identity registry (ERC-8004). */
export interface IdentityRegistry {
  /** For example `eip155:31337:0x…`. */
  readonly agentRegistry: string;
  /**
   * Mints an agent to the operator. Idempotent per token: returns the agent already minted. Refused
   * with `GAS_BUDGET` if the daily gas budget is used up.
   */
  register(order: {
    /** Wallet to mint for; absent for the operator's own agent. */
    readonly wallet?: string;
    readonly token: string;
    readonly uri: string;
    readonly metadata: Readonly<Record<string, string>>;
  }): Promise<CallOutcome<{ readonly agentId: string }>>;
  /** Returns the data that a wallet signs to be bound. `deadlineS`: at most five minutes ahead. */
  createWalletRequest(order: {
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
  /** Transfers an agent's token; only while the operator owns it. Idempotent. */
  transfer(agentId: string, to: string): Promise<CallOutcome<null>>;
  setUri(agentId: string, uri: string): Promise<CallOutcome<null>>;
  /** @returns The agent, or `undefined` for an id that was never issued. */
  read(agentId: string): Promise<RegisteredAgent | undefined>;
  metadata(agentId: string, key: string): Promise<string>;
}

/** Feedback about an agent, as the registry takes it. */
export interface FeedbackOrder {
  /** Identifies the feedback. The same key is written once. */
  readonly key: string;
  readonly agentId: string;
  /** An integer. The feedback is `value / 10 ** valueDecimals`. */
  readonly value: number;
  readonly valueDecimals: number;
  readonly tag1: string;
  readonly tag2: string;
  readonly endpoint: string;
  readonly feedbackUri: string;
  /** Keccak-256 of the file behind the URI, 32 bytes in hex. */
  readonly feedbackHash: string;
}

/** The reputation registry (ERC-8004). */
export interface FeedbackRegistry {
  /**
   * Writes feedback from the operator's account. Idempotent per key. Refused with `NOT_THE_PARTY`
   * if the operator owns the agent, and with `GAS_BUDGET` if the daily gas budget is used up.
   */
  giveFeedback(order: FeedbackOrder): Promise<CallOutcome<null>>;
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

/** A transition of an escrowed job. Moves of a party carry that party's signature. */
export type EscrowMove =
  | { readonly move: 'fulfil'; readonly deliverable: string; readonly signature: string }
  | { readonly move: 'release'; readonly signature: string }
  | { readonly move: 'giveBack'; readonly signature: string }
  | { readonly move: 'dispute'; readonly reason: string; readonly signature: string }
  | { readonly move: 'withdrawDispute'; readonly signature: string }
  | { readonly move: 'settleExpired' }
  | { readonly move: 'refundUnfulfilled' }
  /** Escrow version 1 only: see {@link EscrowedJob.undecidedRefundS}. */
  | { readonly move: 'refundUndecided' }
  | { readonly move: 'decide'; readonly isForProvider: boolean; readonly verdict: string };

/** A party's move before it is signed. `deliverable` and `reason` are 32 bytes in hex. */
export type PartyMove =
  | { readonly move: 'fulfil'; readonly deliverable: string }
  | { readonly move: 'release' }
  | { readonly move: 'giveBack' }
  | { readonly move: 'dispute'; readonly reason: string }
  | { readonly move: 'withdrawDispute' };

/** States of a job on the chain, in the order of the contract. */
export const ESCROW_STATES = [
  'none',
  'escrowed',
  'fulfilled',
  'disputed',
  'released',
  'refunded',
] as const;
/** One of the states in {@link ESCROW_STATES}. */
export type EscrowState = (typeof ESCROW_STATES)[number];

/** A job as stored on the chain. Times are Unix seconds; 0 if not set. */
export interface EscrowedJob {
  readonly state: EscrowState;
  readonly buyer: string;
  readonly provider: string;
  readonly amount: MicroUsdText;
  readonly fulfilByS: number;
  readonly releaseByS: number;
  readonly disputedAtS: number;
  /** When an undecided dispute is refunded automatically. Escrow version 1 only. */
  readonly undecidedRefundS: number;
  readonly deliverable: string;
}

/**
 * A confirmed log of the escrow. `isOwed`: the token rejected the transfer, for example to a frozen
 * account; the escrow keeps the amount for the party.
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
    /** `decideByS`: when the dispute is refunded automatically; 0 if only people can end it. */
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
  /** Computes the job's key locally; equal to the contract's result. */
  computeKey(terms: EscrowTerms): string;
  /**
   * Submits the buyer's authorization and funds the job. Idempotent.
   *
   * `terms`: the nonce is the job's key, so the buyer signed the terms. `exact`: an ordinary x402
   * payment; the operator vouches for the terms. If a third party already submitted the
   * authorization, `creditOrphan` turns the money into the job.
   */
  fund(order: {
    readonly terms: EscrowTerms;
    readonly authorization: Authorization;
    readonly signature: string;
    readonly form: 'terms' | 'exact';
  }): Promise<CallOutcome<{ readonly key: string }>>;
  /** Returns the money of an authorization that did not become a job. Idempotent. */
  returnOrphan(authorization: Authorization): Promise<OrphanOutcome>;
  /** Sends a move. Idempotent: the contract accepts each once; a repeat is `done` or refused. */
  move(key: string, move: EscrowMove): Promise<CallOutcome<null>>;
  /** Returns the data that a party signs for a move. */
  createMoveRequest(key: string, move: PartyMove): TypedData;
  readJob(key: string): Promise<EscrowedJob>;
  /** Amount that could not be sent to a party and that the party can withdraw. */
  readOwed(party: string): Promise<MicroUsdText>;
  /** Balances of the escrow at one block. */
  readHoldings(): Promise<{
    readonly block: number;
    readonly balance: MicroUsdText;
    readonly held: MicroUsdText;
    readonly owed: MicroUsdText;
    readonly unaccounted: MicroUsdText;
  }>;
  /** Returns confirmed logs from a block on, in order, and the block they are complete up to. */
  readLogs(
    fromBlock: number,
  ): Promise<{ readonly logs: readonly EscrowLog[]; readonly upTo: number }>;
  /**
   * Calls the listener with each batch of new confirmed logs, from a block on. Repeats a batch
   * until the listener resolves. Returns a function that stops it.
   */
  subscribe(
    fromBlock: number,
    listener: (logs: readonly EscrowLog[], upTo: number) => Promise<void>,
  ): () => void;
}

/** Anchors for the roots of the proof log (contracts/ProofAnchor.sol). */
export interface AnchorContract {
  /** `root`: 32 bytes in hex. Idempotent; a smaller size is refused. */
  anchor(size: number, root: string): Promise<CallOutcome<null>>;
  latest(): Promise<{ readonly size: number; readonly root: string } | undefined>;
  /** Returns the first confirmed anchor at or above a size. */
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
