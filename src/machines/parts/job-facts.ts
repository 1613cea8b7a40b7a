import type { MicroUsdText } from '../../domain/money.ts';

/** Who holds the money until release: the escrow contract, or still the buyer. */
export type JobFunding = 'escrow' | 'on_release';

/** What a job is created with. Times are in milliseconds. */
export interface JobInput {
  readonly jobId: string;
  readonly funding: JobFunding;
  readonly buyer: string;
  readonly provider: string;
  readonly priceMicroUsd: MicroUsdText;
  /** Share that the service keeps, in basis points. */
  readonly feeBps: number;
  /** How long the provider has to deliver. */
  readonly fulfilMs: number;
}

/** A fact that the chain has confirmed; only such facts move a job's money states. */
export interface ChainFact {
  readonly fact: string;
  readonly transaction: string;
  readonly block: number;
  readonly logIndex: number;
}

/** A job as its actor keeps it. */
export interface JobContext extends JobInput {
  readonly deliverableSha: string | null;
  /** The confirmed facts in the order in which they came; each moved the job once. */
  readonly facts: readonly ChainFact[];
  readonly dispute: { readonly by: string; readonly reason: string } | null;
  readonly verdict: 'provider' | 'buyer' | null;
  /** A payment that the buyer brought with the release of a job that is paid on release. */
  readonly paymentId: string | null;
  /** True when the release came after the job had closed as `expired_unreleased`. */
  readonly isLate: boolean;
  /** The last try that failed, in words; tries are repeated. */
  readonly lastError: string | null;
}

/** What every try at the chain is given; `jobId` keys it, so that a repeat changes nothing. */
export interface JobTry {
  readonly jobId: string;
  readonly funding: JobFunding;
  readonly paymentId: string | null;
}

type Confirmed<Name extends string> = { readonly type: Name } & Omit<ChainFact, 'fact'>;

/** Everything that a job takes: from its two sides, the arbiter, the chain and its effects. */
export type JobEvent =
  | { readonly type: 'WORK.DELIVERED'; readonly deliverableSha: string }
  | {
      readonly type: 'JOB.COMPLETED';
      readonly paymentId?: string;
      readonly deliverableSha?: string;
    }
  | { readonly type: 'DISPUTE.OPENED'; readonly by: string; readonly reason: string }
  | { readonly type: 'DISPUTE.WITHDRAWN' }
  | { readonly type: 'DISPUTE.DECIDED'; readonly upheld: 'provider' | 'buyer' }
  | Confirmed<'CHAIN.ESCROWED'>
  | Confirmed<'CHAIN.RELEASED'>
  | Confirmed<'CHAIN.REFUNDED'>
  | { readonly type: 'CHAIN.REFUSED'; readonly reason: string }
  | { readonly type: 'xstate.error.actor.fund'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.release'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.refund'; readonly error: unknown };

/** A job on its first day. */
export function openedJob({ input }: { readonly input: JobInput }): JobContext {
  return {
    ...input,
    deliverableSha: null,
    facts: [],
    dispute: null,
    verdict: null,
    paymentId: null,
    isLate: false,
    lastError: null,
  };
}

/** The confirmed fact that an event brings, if it brings one. */
export function factOf(event: JobEvent): ChainFact | undefined {
  if (!('transaction' in event)) return undefined;
  const { type, transaction, block, logIndex } = event;
  return { fact: type, transaction, block, logIndex };
}

/** Why a try failed, in words. */
export function tryErrorOf(event: JobEvent): string {
  if (event.type === 'CHAIN.REFUSED') return event.reason;
  const error = 'error' in event ? event.error : undefined;
  return error instanceof Object && 'message' in error ? String(error.message) : 'no answer';
}
