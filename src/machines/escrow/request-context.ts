import type { MicroUsdText } from '../../domain/common/money.ts';
import type { BidRecord } from '../../domain/escrow/records.ts';
import type { JobFunding, JobInput } from './job-context.ts';

/** Input of a request. Times are in milliseconds unless the name says otherwise. */
export interface RequestInput {
  readonly requestId: string;
  readonly buyer: string;
  readonly capabilityId: string;
  /** Hash of the task description in the blob store. */
  readonly taskSha: string;
  readonly budgetMicroUsd: MicroUsdText;
  readonly funding: JobFunding;
  /** The only eligible provider; `null` if anyone may bid. */
  readonly provider: string | null;
  readonly postedAt: number;
  readonly openMs: number;
  /** Delivery deadline in Unix seconds; part of the terms. */
  readonly fulfilByS: number;
  readonly src: string | null;
}

/** The bid and job that a request was assigned to. */
export interface Assignment {
  readonly bidId: string | null;
  readonly jobId: string;
}

/** Context of a request actor. */
export interface RequestContext extends RequestInput {
  readonly bids: readonly BidRecord[];
  readonly assigned: Assignment | null;
  /** Number of jobs that were never funded; each has its own id. */
  readonly attempts: number;
  /** True if the time ended while a job was still being funded. */
  readonly isOver: boolean;
}

/** Events that a request accepts: from its buyer, its bidders and its job. */
export type RequestEvent =
  | { readonly type: 'BID.PLACED'; readonly bid: BidRecord }
  | { readonly type: 'BID.WITHDRAWN'; readonly bidId: string }
  | {
      readonly type: 'REQUEST.ASSIGNED';
      readonly bidId: string | null;
      /** Number of unfunded jobs when the job was named. */
      readonly attempt: number;
      readonly job: JobInput;
    }
  | { readonly type: 'REQUEST.WITHDRAWN' }
  | { readonly type: 'JOB.BEGUN'; readonly jobId: string }
  | { readonly type: 'JOB.UNFUNDED'; readonly jobId: string };

/** Creates the initial context of a request. */
export function createRequestContext({ input }: { readonly input: RequestInput }): RequestContext {
  return { ...input, bids: [], assigned: null, attempts: 0, isOver: false };
}

/** Maximum number of bids per request and per wallet, including withdrawn ones. */
export const BIDS_MAX = { inAll: 50, perWallet: 3 } as const;

/** Returns whether a bid may be placed: the limits allow it, and the wallet has no open bid. */
export function mayPlaceBid({ bids, provider }: RequestContext, event: RequestEvent): boolean {
  if (event.type !== 'BID.PLACED' || provider !== null) return false;
  const { bid } = event;
  const own = bids.filter((row) => row.provider === bid.provider);
  return (
    bids.length < BIDS_MAX.inAll &&
    own.length < BIDS_MAX.perWallet &&
    own.every(({ isWithdrawn }) => isWithdrawn) &&
    bids.every(({ bidId }) => bidId !== bid.bidId)
  );
}

/**
 * Returns whether a job may be created from an open bid, or directly for the only eligible
 * provider. Each attempt after an unfunded job has its own number.
 */
export function mayAssign(context: RequestContext, event: RequestEvent): boolean {
  if (event.type !== 'REQUEST.ASSIGNED' || event.attempt !== context.attempts) return false;
  const { provider, bids } = context;
  if (event.bidId === null) return provider !== null && event.job.provider === provider;
  const bid = bids.find(({ bidId }) => bidId === event.bidId);
  return bid !== undefined && !bid.isWithdrawn && bid.provider === event.job.provider;
}

/** Returns whether an event concerns the job of the request. */
export function isOwnJob({ assigned }: RequestContext, event: RequestEvent): boolean {
  return 'jobId' in event && assigned?.jobId === event.jobId;
}
