import type { MicroUsdText } from '../common/money.ts';
import type { PaymentPayload, PaymentRequirements } from '../payment/payment.ts';
import type { SealedReserve } from './negotiation.ts';
import type { BidView, Funding, JobView, RequestView } from './work.ts';

/** The calling wallet, proven by its signature, with an idempotency key. */
export interface WalletCall {
  /** Lower case. */
  readonly wallet: string;
  /** Wallet and nonce of the signed request; repeating them returns the first response. */
  readonly key: string;
  /** Attribution tag (`?src=`); recorded without effect. */
  readonly src?: string;
}

/** A request to post. Times are in milliseconds. */
export interface NewRequest {
  readonly capabilityId: string;
  readonly taskDescription: string;
  readonly budgetMicroUsd: MicroUsdText;
  readonly funding: Funding;
  /** Restricts the request to this provider, for the whole budget. */
  readonly provider?: string;
  readonly openMs: number;
  readonly fulfilMs: number;
}

/** A bid to place. */
export interface NewBid {
  readonly priceMicroUsd: MicroUsdText;
  readonly note: string;
  /** Lowest acceptable price; used in SHADOW mode for large deals, without effect. */
  readonly sealed?: SealedReserve;
}

/** A page of a listing. */
export interface WorkPage<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/** Payment required to start or release a job. */
export interface WorkPayment {
  readonly requirements: PaymentRequirements;
  /** Purpose of the payment, in one sentence. */
  readonly description: string;
}

/** Outcome of a call that may require payment: the job, or the payment to make first. */
export type WorkOutcome =
  | { readonly kind: 'job'; readonly job: JobView; readonly transaction?: string }
  | { readonly kind: 'payment_required'; readonly payment: WorkPayment };

/**
 * The work board and its jobs. Each change requires the party concerned, whose wallet is already
 * proven.
 *
 * Throws `REQUEST_UNKNOWN`, `BID_UNKNOWN`, `JOB_UNKNOWN`, `NOT_THE_PARTY` (data: received,
 * allowed), `MOVE_UNAVAILABLE` (data: state, moves), `MOVE_UNSIGNED` for a signature that the
 * contract would reject, `INPUT_INVALID`, `NOT_CONFIGURED`, `OVERLOADED`, the `PAYMENT_…` codes.
 */
export interface WorkBoard {
  postRequest(order: NewRequest, by: WalletCall): Promise<RequestView>;
  listOpenRequests(options: {
    readonly capabilityId?: string;
    readonly cursor?: string;
    readonly limit: number;
  }): Promise<WorkPage<RequestView>>;
  readRequest(requestId: string): Promise<RequestView>;
  withdrawRequest(requestId: string, by: WalletCall): Promise<RequestView>;
  placeBid(requestId: string, bid: NewBid, by: WalletCall): Promise<BidView>;
  withdrawBid(bidId: string, by: WalletCall): Promise<BidView>;
  /**
   * Starts the job of a bid. An escrowed job requires funding first: an x402 `exact` payment to the
   * escrow, or an authorization whose nonce is the job's key.
   */
  acceptBid(
    bidId: string,
    payment: PaymentPayload | undefined,
    by: WalletCall,
  ): Promise<WorkOutcome>;
  /** Starts the job of a request for a single provider. */
  startJob(
    requestId: string,
    payment: PaymentPayload | undefined,
    by: WalletCall,
  ): Promise<WorkOutcome>;
  readJob(jobId: string): Promise<JobView>;
  /** Lists the jobs of a wallet, or all jobs, newest first. */
  listJobs(options: {
    readonly wallet?: string;
    readonly cursor?: string;
    readonly limit: number;
  }): Promise<WorkPage<JobView>>;
  /** Submits the deliverable. `moveSignature`: signature for the contract, on escrowed jobs. */
  fulfil(
    jobId: string,
    work: { readonly deliverable: Uint8Array; readonly mimeType: string },
    moveSignature: string | undefined,
    by: WalletCall,
  ): Promise<JobView>;
  /** Releases a job: with a contract signature if escrowed, otherwise with payment. */
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
  /** Records the arbiter's verdict; requires the operator's token. */
  decide(
    jobId: string,
    verdict: { readonly upheld: 'provider' | 'buyer'; readonly why: string },
  ): Promise<JobView>;
  /**
   * Returns the deliverable: to the provider at any time, to the buyer after release.
   *
   * @throws {AppError} `DELIVERABLE_HELD` before release.
   */
  readDeliverable(
    jobId: string,
    by: WalletCall,
  ): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string }>;
}
