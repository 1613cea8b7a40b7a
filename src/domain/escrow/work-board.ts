import type { MicroUsdText } from '../common/money.ts';
import type { PaymentPayload, PaymentRequirements } from '../payment/payment.ts';
import type { SealedReserve } from './negotiation.ts';
import type { BidView, Funding, JobView, RequestView } from './work.ts';

/** Whose wallet asks, proven by its signature; the key makes a repeat the same call. */
export interface WalletCall {
  /** Lower case. */
  readonly wallet: string;
  /** Wallet and nonce of the signed request: a repeat gives the first answer. */
  readonly key: string;
  /** Attribution tag (`?src=`); recorded, without effect. */
  readonly src?: string;
}

/** A request to be posted. Times are in milliseconds. */
export interface NewRequest {
  readonly capabilityId: string;
  readonly taskDescription: string;
  readonly budgetMicroUsd: MicroUsdText;
  readonly funding: Funding;
  /** Meant for this provider alone, for the whole budget. */
  readonly provider?: string;
  readonly openMs: number;
  readonly fulfilMs: number;
}

/** A bid to be placed. */
export interface NewBid {
  readonly priceMicroUsd: MicroUsdText;
  readonly note: string;
  /** The least that the bidder would take: runs in shadow for large deals, and changes nothing. */
  readonly sealed?: SealedReserve;
}

/** A page of a listing. */
export interface WorkPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** What is asked for where a job is begun or released against money. */
export interface WorkPayment {
  readonly requirements: PaymentRequirements;
  /** What the money is for, in one sentence. */
  readonly description: string;
}

/** The answer to a call that may need money: the job, or what is to be paid first. */
export type WorkOutcome =
  | { readonly kind: 'job'; readonly job: JobView; readonly transaction?: string }
  | { readonly kind: 'payment_required'; readonly payment: WorkPayment };

/**
 * The board of work and its jobs. Every change is a party's own; whose it is was proven before.
 *
 * Throws `REQUEST_UNKNOWN`, `BID_UNKNOWN`, `JOB_UNKNOWN`, `NOT_THE_PARTY` (data: received,
 * allowed), `MOVE_UNAVAILABLE` (data: state, moves), `MOVE_UNSIGNED` for a signature that the
 * contract would refuse, `INPUT_INVALID`, `NOT_CONFIGURED`, `OVERLOADED`, the `PAYMENT_…` codes.
 */
export interface WorkBoard {
  post(order: NewRequest, by: WalletCall): Promise<RequestView>;
  open(options: {
    readonly capabilityId?: string;
    readonly cursor?: string;
    readonly limit: number;
  }): Promise<WorkPage<RequestView>>;
  request(requestId: string): Promise<RequestView>;
  withdraw(requestId: string, by: WalletCall): Promise<RequestView>;
  bid(requestId: string, bid: NewBid, by: WalletCall): Promise<BidView>;
  withdrawBid(bidId: string, by: WalletCall): Promise<BidView>;
  /**
   * Begins the job of a bid. An escrowed one asks for money first: an x402 `exact` payment to the
   * escrow, or an authorization whose nonce is the job's key.
   */
  accept(bidId: string, payment: PaymentPayload | undefined, by: WalletCall): Promise<WorkOutcome>;
  /** The same for a request that is meant for one provider. */
  begin(
    requestId: string,
    payment: PaymentPayload | undefined,
    by: WalletCall,
  ): Promise<WorkOutcome>;
  job(jobId: string): Promise<JobView>;
  /** Jobs of a wallet, or all, the newest first. */
  jobs(options: {
    readonly wallet?: string;
    readonly cursor?: string;
    readonly limit: number;
  }): Promise<WorkPage<JobView>>;
  /** Hands the deliverable in. `moveSignature`: the contract's, on escrowed jobs. */
  fulfil(
    jobId: string,
    work: { readonly deliverable: Uint8Array; readonly mimeType: string },
    moveSignature: string | undefined,
    by: WalletCall,
  ): Promise<JobView>;
  /** Releases: by the contract's signature on escrowed jobs, by payment on the others. */
  complete(
    jobId: string,
    proof: { readonly moveSignature?: string; readonly payment?: PaymentPayload },
    by: WalletCall,
  ): Promise<WorkOutcome>;
  /** Escrow-funded jobs only. */
  dispute(
    jobId: string,
    reason: string,
    moveSignature: string | undefined,
    by: WalletCall,
  ): Promise<JobView>;
  withdrawDispute(
    jobId: string,
    moveSignature: string | undefined,
    by: WalletCall,
  ): Promise<JobView>;
  giveBack(jobId: string, moveSignature: string | undefined, by: WalletCall): Promise<JobView>;
  /** The arbiter's verdict: the operator's token opens it. */
  decide(
    jobId: string,
    verdict: { readonly upheld: 'provider' | 'buyer'; readonly why: string },
  ): Promise<JobView>;
  /**
   * The deliverable: for the provider always, for the buyer once it is released.
   *
   * @throws {AppError} `DELIVERABLE_HELD` before.
   */
  deliverable(
    jobId: string,
    by: WalletCall,
  ): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string }>;
}
