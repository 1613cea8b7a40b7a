import type { MicroUsdText } from '../../domain/common/money.ts';
import type { BidRecord } from '../../domain/escrow/records.ts';
import type { JobFunding, JobInput } from './job-facts.ts';

/** What a request is posted with. Times are in milliseconds unless the name says otherwise. */
export interface RequestInput {
  readonly requestId: string;
  readonly buyer: string;
  readonly capabilityId: string;
  /** Where the store of big texts has the description of the task. */
  readonly taskSha: string;
  readonly budgetMicroUsd: MicroUsdText;
  readonly funding: JobFunding;
  /** The provider that it is meant for; `null`: anyone may bid. */
  readonly provider: string | null;
  readonly postedAt: number;
  readonly openMs: number;
  /** Until when the work has to be delivered, in unix seconds: a part of the terms. */
  readonly fulfilByS: number;
  readonly src: string | null;
}

/** Whom a request was given to. */
export interface Assignment {
  readonly bidId: string | null;
  readonly jobId: string;
}

/** A request as its actor keeps it. */
export interface RequestContext extends RequestInput {
  readonly bids: readonly BidRecord[];
  readonly assigned: Assignment | null;
  /** Jobs of it that were never funded: each has a name of its own. */
  readonly attempts: number;
  /** True once its time is over while a job of it is still being funded. */
  readonly isOver: boolean;
}

/** Everything that a request takes: from its buyer, its bidders, and the job that it became. */
export type RequestEvent =
  | { readonly type: 'BID.PLACED'; readonly bid: BidRecord }
  | { readonly type: 'BID.WITHDRAWN'; readonly bidId: string }
  | {
      readonly type: 'REQUEST.ASSIGNED';
      readonly bidId: string | null;
      /** How many jobs of the request had gone unfunded when the job was named. */
      readonly attempt: number;
      readonly job: JobInput;
    }
  | { readonly type: 'REQUEST.WITHDRAWN' }
  | { readonly type: 'JOB.BEGUN'; readonly jobId: string }
  | { readonly type: 'JOB.UNFUNDED'; readonly jobId: string };

/** A request on its first day. */
export function postedRequest({ input }: { readonly input: RequestInput }): RequestContext {
  return { ...input, bids: [], assigned: null, attempts: 0, isOver: false };
}

/** Most bids that a request takes, and most of one wallet, withdrawn ones counted. */
export const BIDS_MAX = { inAll: 50, perWallet: 3 } as const;

/** Tells whether a bid may be placed: there is room, and its wallet has no open one. */
export function mayPlace({ bids, provider }: RequestContext, event: RequestEvent): boolean {
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
 * Tells whether a job may be made: of an open bid, or directly where it is meant for one. A job
 * that went unfunded in the meantime is over; the next one has a name of its own.
 */
export function mayAssign(context: RequestContext, event: RequestEvent): boolean {
  if (event.type !== 'REQUEST.ASSIGNED' || event.attempt !== context.attempts) return false;
  const { provider, bids } = context;
  if (event.bidId === null) return provider !== null && event.job.provider === provider;
  const bid = bids.find(({ bidId }) => bidId === event.bidId);
  return bid !== undefined && !bid.isWithdrawn && bid.provider === event.job.provider;
}

/** Tells whether an event speaks of the job that the request was given to. */
export function isOwnJob({ assigned }: RequestContext, event: RequestEvent): boolean {
  return 'jobId' in event && assigned?.jobId === event.jobId;
}
