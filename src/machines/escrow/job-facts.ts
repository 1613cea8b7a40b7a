import type { EscrowMove } from '../../domain/chain/trust-chain.ts';
import type { ErrorCode } from '../../domain/common/error.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import type { HeldDeliverable, PayerStamp } from '../../domain/escrow/records.ts';
import type { Authorization, PaymentPayload } from '../../domain/payment/payment.ts';
import type { SeenOutcome } from '../payment/payment-facts.ts';

/** Who holds the money until release: the escrow contract, or still the buyer. */
export type JobFunding = 'escrow' | 'on_release';

/** The buyer's authorization that brings the money into escrow. */
export interface FundOrder {
  readonly authorization: Authorization;
  readonly signature: string;
  /** `terms`: the buyer signed the job's key; `exact`: the operator vouches for the terms. */
  readonly form: 'terms' | 'exact';
}

/** What a job is created with. Times are in milliseconds unless the name says otherwise. */
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
  /** The same as a moment, in unix seconds: a part of the terms. */
  readonly fulfilByS: number;
  /** Whom to tell whether the job has begun; `null` where nobody waits for it. */
  readonly requestId: string | null;
  readonly bidId: string | null;
  /** What the escrow names the job in its terms, and by their hash; only in escrow. */
  readonly termsId: string | null;
  readonly escrowKey: string | null;
  readonly fund: FundOrder | null;
  /** Stamp of the payer binding. */
  readonly payer: PayerStamp | null;
  readonly src: string | null;
  readonly openedAt: number;
}

/** A fact that the chain has confirmed; only such facts move a job's money states. */
export interface ChainFact {
  readonly fact: string;
  readonly transaction: string;
  readonly block: number;
  readonly logIndex: number;
  /** Unix seconds of the block. */
  readonly atS: number;
}

/** A move that was asked for and is on its way to the chain. */
export interface PendingMove {
  readonly move: EscrowMove;
  /** Key of the call that asked. */
  readonly call: string;
  /** The reason of a dispute or of a verdict, in words; the chain has its hash. */
  readonly words: string | null;
}

/** What became of the last move that was sent. */
export interface MoveAnswer {
  readonly call: string;
  readonly move: EscrowMove['move'] | 'pay' | 'fund';
  readonly isRefused: boolean;
  readonly code: ErrorCode | null;
  readonly message: string | null;
}

/** The buyer's payment of a job that is paid on release. */
export interface BroughtPayment {
  /** Its actor, whose key an authorization has once. */
  readonly paymentId: string;
  readonly payload: PaymentPayload;
  readonly call: string;
}

/** What the provider was paid, and what the service kept. */
export interface Payout {
  readonly netMicroUsd: MicroUsdText;
  readonly feeMicroUsd: MicroUsdText;
  readonly transaction: string;
  readonly isAutomatic: boolean;
}

/** A dispute as the chain has it. Times are in unix seconds. */
export interface JobDispute {
  readonly by: string;
  readonly reason: string;
  readonly openedAtS: number;
  /** Time alone refunds it when nobody decides: in an escrow of version 1 only. */
  readonly isRefundedByTime: boolean;
}

/** A job as its actor keeps it. */
export interface JobContext extends JobInput {
  /** The newest bytes that the provider handed in. */
  readonly deliverable: HeldDeliverable | null;
  /** Hash of what was delivered: on the chain in escrow, by the provider's word else. */
  readonly deliverableSha: string | null;
  /** When it was delivered, in unix seconds. */
  readonly deliveredAtS: number | null;
  /** The confirmed facts in the order in which they came; each moved the job once. */
  readonly facts: readonly ChainFact[];
  readonly pending: PendingMove | null;
  readonly lastMove: MoveAnswer | null;
  /** Calls of the parties that were taken, so that a repeat is known; the newest ones. */
  readonly calls: readonly string[];
  readonly dispute: JobDispute | null;
  readonly verdict: 'provider' | 'buyer' | null;
  readonly verdictWords: string | null;
  /** When the release window ends, and what was left of it when it last began to run. */
  readonly releaseByMs: number | null;
  readonly windowMs: number;
  /** How long the arbiter had for a verdict when the job was told of the dispute. */
  readonly decideMs: number;
  /** True once the arbiter has let that time pass; the money stays where it is. */
  readonly isUndecided: boolean;
  /** A payment that the buyer brought with the release of a job that is paid on release. */
  readonly payment: BroughtPayment | null;
  /** The transaction that brought it. */
  readonly collected: { readonly transaction: string; readonly at: number } | null;
  readonly payout: Payout | null;
  /** True once the job has closed as `expired_unreleased`: a release is late then. */
  readonly isLate: boolean;
  /** Wait before the next try, where the last one knew it. */
  readonly waitMs: number | null;
  /** The last try that failed, in words; tries are repeated. */
  readonly lastError: string | null;
}

/** What every try at the chain is given; the job's key makes a repeat change nothing. */
export interface JobTry {
  readonly jobId: string;
  readonly escrowKey: string | null;
}

/** What the `fund` effect is given. */
export interface FundTry extends JobTry {
  readonly termsId: string | null;
  readonly buyer: string;
  readonly provider: string;
  readonly amount: MicroUsdText;
  readonly fulfilByS: number;
  readonly fund: FundOrder | null;
}

/** What the `move` effect is given. */
export interface MoveTry extends JobTry {
  readonly move: EscrowMove | null;
}

/** What the `collect` effect is given. */
export interface CollectTry {
  readonly jobId: string;
  readonly src: string | null;
  readonly payload: PaymentPayload | null;
}

/** What the `pay` effect is given; the job's id keys the transfer. */
export interface PayTry {
  readonly jobId: string;
  readonly to: string;
  readonly amount: MicroUsdText;
}

/** What a try at the chain answers. `waitMs`: it was too early, and how long it still is. */
export interface TryAnswer {
  readonly state: 'done' | 'refused' | 'unknown' | 'early';
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly waitMs?: number;
}

/** How a transfer ended. */
interface TransferEnd {
  readonly type: `xstate.done.actor.${'collect' | 'pay'}`;
  readonly output: SeenOutcome;
}

type Confirmed<Name extends string, More = unknown> = { readonly type: Name } & Omit<
  ChainFact,
  'fact'
> &
  More;

/** An event that a party's call brings. `call` is the key that a repeat has as well. */
interface Asked {
  readonly call?: string;
  readonly signature?: string;
}

/** Everything that a job takes: from its two sides, the arbiter, the chain and its effects. */
export type JobEvent =
  | ({
      readonly type: 'WORK.DELIVERED';
      readonly deliverableSha: string;
      readonly held?: HeldDeliverable;
      /** Milliseconds. */
      readonly at?: number;
    } & Asked)
  | ({
      readonly type: 'JOB.COMPLETED';
      readonly payment?: PaymentPayload;
      readonly paymentId?: string;
      readonly payer?: PayerStamp;
    } & Asked)
  | ({ readonly type: 'JOB.GIVEN_BACK' } & Asked)
  | ({
      readonly type: 'DISPUTE.OPENED';
      readonly by: string;
      readonly reason: string;
      readonly reasonHash: string;
    } & Asked)
  | ({ readonly type: 'DISPUTE.WITHDRAWN' } & Asked)
  | ({
      readonly type: 'DISPUTE.DECIDED';
      readonly upheld: 'provider' | 'buyer';
      readonly why: string;
      readonly verdictHash: string;
    } & Asked)
  | Confirmed<'CHAIN.ESCROWED'>
  | Confirmed<
      'CHAIN.FULFILLED',
      { readonly deliverable: string; readonly releaseByS: number; readonly windowMs: number }
    >
  | Confirmed<
      'CHAIN.RELEASED',
      { readonly net: MicroUsdText; readonly fee: MicroUsdText; readonly isAutomatic: boolean }
    >
  | Confirmed<'CHAIN.REFUNDED'>
  | Confirmed<
      'CHAIN.DISPUTED',
      {
        readonly reason: string;
        /** What is left until time alone refunds it; `null` where it never does. */
        readonly refundMs: number | null;
      }
    >
  | Confirmed<'CHAIN.DISPUTE_WITHDRAWN', { readonly releaseByS: number; readonly windowMs: number }>
  | Confirmed<'CHAIN.DECIDED', { readonly isForProvider: boolean; readonly verdict: string }>
  | {
      readonly type: `xstate.done.actor.${'fund' | 'move' | 'release' | 'refund' | 'sweep'}`;
      readonly output: TryAnswer;
    }
  | TransferEnd
  | {
      readonly type: `xstate.error.actor.${JobEffect}`;
      readonly error: unknown;
    };

/** Names of what a job does outside. */
export type JobEffect = 'fund' | 'move' | 'release' | 'refund' | 'sweep' | 'collect' | 'pay';

/** A job on its first day. */
export function openedJob({ input }: { readonly input: JobInput }): JobContext {
  return {
    ...input,
    deliverable: null,
    deliverableSha: null,
    deliveredAtS: null,
    facts: [],
    pending: null,
    lastMove: null,
    calls: [],
    dispute: null,
    verdict: null,
    verdictWords: null,
    releaseByMs: null,
    windowMs: 0,
    decideMs: 0,
    isUndecided: false,
    payment: null,
    collected: null,
    payout: null,
    isLate: false,
    waitMs: null,
    lastError: null,
  };
}

/** The confirmed fact that an event brings, if it brings one. */
export function factOf(event: JobEvent): ChainFact | undefined {
  if (!('transaction' in event)) return undefined;
  const { type, transaction, block, logIndex, atS } = event;
  return { fact: type, transaction, block, logIndex, atS };
}

/** Tells whether a job has not been told this fact before. */
export function isNewFact({ facts }: JobContext, event: JobEvent): boolean {
  const fact = factOf(event);
  return (
    fact !== undefined &&
    facts.every((row) => row.transaction !== fact.transaction || row.fact !== fact.fact)
  );
}

/** What a try answered, if the event is the end of one. */
export function answerOf(event: JobEvent): TryAnswer | undefined {
  if (!('output' in event) || isTransferEnd(event)) return undefined;
  return event.output;
}

/** What became of a transfer, if the event tells it. */
export function transferOf(event: JobEvent): SeenOutcome | undefined {
  return isTransferEnd(event) ? event.output : undefined;
}

/** Why a try failed, in words; `null` when it did not. */
export function tryErrorOf(event: JobEvent): string | null {
  const answer = answerOf(event);
  if (answer !== undefined) return answer.state === 'done' ? null : (answer.message ?? null);
  const transfer = transferOf(event);
  if (transfer?.state === 'failed') return transfer.fault.message;
  if (transfer?.state === 'unknown') return transfer.detail;
  if (!('error' in event)) return null;
  const { error } = event;
  return error instanceof Object && 'message' in error ? String(error.message) : 'no answer';
}

function isTransferEnd(event: JobEvent): event is TransferEnd {
  return event.type === 'xstate.done.actor.collect' || event.type === 'xstate.done.actor.pay';
}
