import type { EscrowMove } from '../../domain/chain/trust-chain.ts';
import type { ErrorCode } from '../../domain/common/error.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import type { StoredDeliverable, StoredPayerBinding } from '../../domain/escrow/records.ts';
import type { Authorization, PaymentPayload } from '../../domain/payment/payment.ts';
import type { ObservedOutcome } from '../payment/payment-context.ts';

/** Where the money is until release: in the escrow contract, or still with the buyer. */
export type JobFunding = 'escrow' | 'on_release';

/** The buyer's authorization that funds the escrow. */
export interface FundOrder {
  readonly authorization: Authorization;
  readonly signature: string;
  /** `terms`: the buyer signed the job's key. `exact`: the operator vouches for the terms. */
  readonly form: 'terms' | 'exact';
}

/** Input of a job. Times are in milliseconds unless the name says otherwise. */
export interface JobInput {
  readonly jobId: string;
  readonly funding: JobFunding;
  readonly buyer: string;
  readonly provider: string;
  readonly priceMicroUsd: MicroUsdText;
  /** Fee of the service in basis points. */
  readonly feeBps: number;
  /** Time for the provider to deliver. */
  readonly fulfilMs: number;
  /** The delivery deadline in Unix seconds; part of the terms. */
  readonly fulfilByS: number;
  /** Request to notify when the job starts; `null` if none is waiting. */
  readonly requestId: string | null;
  readonly bidId: string | null;
  /** Job id in the escrow terms, and their hash; escrowed jobs only. */
  readonly termsId: string | null;
  readonly escrowKey: string | null;
  readonly fund: FundOrder | null;
  /** Recorded payer binding. */
  readonly payer: StoredPayerBinding | null;
  readonly src: string | null;
  readonly openedAt: number;
}

/** A fact confirmed by the chain; only such facts change a job's money states. */
export interface ChainFact {
  readonly fact: string;
  readonly transaction: string;
  readonly block: number;
  readonly logIndex: number;
  /** Unix seconds of the block. */
  readonly atS: number;
}

/** A requested move that is being sent to the chain. */
export interface PendingMove {
  readonly move: EscrowMove;
  /** Key of the call that requested it. */
  readonly call: string;
  /** Reason of a dispute or verdict as text; the chain has its hash. */
  readonly words: string | null;
}

/** Result of the last move that was sent. */
export interface MoveResult {
  readonly call: string;
  readonly move: EscrowMove['move'] | 'pay' | 'fund';
  readonly isRefused: boolean;
  readonly code: ErrorCode | null;
  readonly message: string | null;
}

/** The buyer's payment for a job that is paid on release. */
export interface ReleasePayment {
  /** Payment actor; each authorization has one key. */
  readonly paymentId: string;
  readonly payload: PaymentPayload;
  readonly call: string;
}

/** Amounts that the provider received and the service kept. */
export interface Payout {
  readonly netMicroUsd: MicroUsdText;
  readonly feeMicroUsd: MicroUsdText;
  readonly transaction: string;
  readonly isAutomatic: boolean;
}

/** A dispute as recorded on the chain. Times are Unix seconds. */
export interface JobDispute {
  readonly by: string;
  readonly reason: string;
  readonly openedAtS: number;
  /** True if time alone refunds an undecided dispute; escrow version 1 only. */
  readonly isRefundedByTime: boolean;
}

/** Context of a job actor. */
export interface JobContext extends JobInput {
  /** Latest deliverable that the provider submitted. */
  readonly deliverable: StoredDeliverable | null;
  /** Hash of the deliverable: from the chain in escrow, otherwise as stated by the provider. */
  readonly deliverableSha: string | null;
  /** Delivery time in Unix seconds. */
  readonly deliveredAtS: number | null;
  /** Confirmed facts in order of arrival; each changed the job once. */
  readonly facts: readonly ChainFact[];
  readonly pending: PendingMove | null;
  readonly lastMove: MoveResult | null;
  /** Keys of the most recent accepted calls, to recognise repeats. */
  readonly calls: readonly string[];
  readonly dispute: JobDispute | null;
  readonly verdict: 'provider' | 'buyer' | null;
  readonly verdictWords: string | null;
  /** End of the release window, and its remaining length when it last started. */
  readonly releaseByMs: number | null;
  readonly windowMs: number;
  /** Time that the arbiter had for a verdict when the job learned of the dispute. */
  readonly decideMs: number;
  /** True after that time passed without a verdict; the money stays where it is. */
  readonly isUndecided: boolean;
  /** Payment that the buyer sent with the release of a job that is paid on release. */
  readonly payment: ReleasePayment | null;
  /** Transaction that settled it. */
  readonly collected: { readonly transaction: string; readonly at: number } | null;
  readonly payout: Payout | null;
  /** True after the job closed as `expired_unreleased`; a release is then late. */
  readonly isLate: boolean;
  /** Wait before the next attempt, if the last attempt reported it. */
  readonly waitMs: number | null;
  /** Message of the last failed attempt; attempts are repeated. */
  readonly lastError: string | null;
}

/** Common input of every chain effect; the job's key makes repeats harmless. */
export interface AttemptInput {
  readonly jobId: string;
  readonly escrowKey: string | null;
}

/** What the `fund` effect is given. */
export interface FundInput extends AttemptInput {
  readonly termsId: string | null;
  readonly buyer: string;
  readonly provider: string;
  readonly amount: MicroUsdText;
  readonly fulfilByS: number;
  readonly fund: FundOrder | null;
}

/** What the `move` effect is given. */
export interface MoveInput extends AttemptInput {
  readonly move: EscrowMove | null;
}

/** What the `collect` effect is given. */
export interface CollectInput {
  readonly jobId: string;
  readonly src: string | null;
  readonly payload: PaymentPayload | null;
}

/** Input of the `pay` effect; the job's id is the idempotency key of the transfer. */
export interface PayInput {
  readonly jobId: string;
  readonly to: string;
  readonly amount: MicroUsdText;
}

/** Output of a chain effect. `waitMs`: it was too early by this time. */
export interface AttemptResult {
  readonly state: 'done' | 'refused' | 'unknown' | 'early';
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly waitMs?: number;
}

/** Completion event of a transfer. */
interface TransferEnd {
  readonly type: `xstate.done.actor.${'collect' | 'pay'}`;
  readonly output: ObservedOutcome;
}

type Confirmed<Name extends string, More = unknown> = { readonly type: Name } & Omit<
  ChainFact,
  'fact'
> &
  More;

/** Fields of events from a party's call. A repeat has the same `call` key. */
interface CallFields {
  readonly call?: string;
  readonly signature?: string;
}

/** Events that a job accepts: from its parties, the arbiter, the chain and its effects. */
export type JobEvent =
  | ({
      readonly type: 'WORK.DELIVERED';
      readonly deliverableSha: string;
      readonly held?: StoredDeliverable;
      /** Milliseconds. */
      readonly at?: number;
    } & CallFields)
  | ({
      readonly type: 'JOB.COMPLETED';
      readonly payment?: PaymentPayload;
      readonly paymentId?: string;
      readonly payer?: StoredPayerBinding;
    } & CallFields)
  | ({ readonly type: 'JOB.GIVEN_BACK' } & CallFields)
  | ({
      readonly type: 'DISPUTE.OPENED';
      readonly by: string;
      readonly reason: string;
      readonly reasonHash: string;
    } & CallFields)
  | ({ readonly type: 'DISPUTE.WITHDRAWN' } & CallFields)
  | ({
      readonly type: 'DISPUTE.DECIDED';
      readonly upheld: 'provider' | 'buyer';
      readonly why: string;
      readonly verdictHash: string;
    } & CallFields)
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
        /** Time until the automatic refund; `null` if there is none. */
        readonly refundMs: number | null;
      }
    >
  | Confirmed<'CHAIN.DISPUTE_WITHDRAWN', { readonly releaseByS: number; readonly windowMs: number }>
  | Confirmed<'CHAIN.DECIDED', { readonly isForProvider: boolean; readonly verdict: string }>
  | {
      readonly type: `xstate.done.actor.${'fund' | 'move' | 'release' | 'refund' | 'sweep'}`;
      readonly output: AttemptResult;
    }
  | TransferEnd
  | {
      readonly type: `xstate.error.actor.${JobEffect}`;
      readonly error: unknown;
    };

/** Names of the job's effects. */
export type JobEffect = 'fund' | 'move' | 'release' | 'refund' | 'sweep' | 'collect' | 'pay';

/** Creates the initial context of a job. */
export function createJobContext({ input }: { readonly input: JobInput }): JobContext {
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

/** Returns the confirmed fact in an event, if any. */
export function readFact(event: JobEvent): ChainFact | undefined {
  if (!('transaction' in event)) return undefined;
  const { type, transaction, block, logIndex, atS } = event;
  return { fact: type, transaction, block, logIndex, atS };
}

/** Returns whether a fact is new to the job. */
export function isNewFact({ facts }: JobContext, event: JobEvent): boolean {
  const fact = readFact(event);
  return (
    fact !== undefined &&
    facts.every((row) => row.transaction !== fact.transaction || row.fact !== fact.fact)
  );
}

/** Returns the output of a chain effect, if the event has one. */
export function attemptResultOf(event: JobEvent): AttemptResult | undefined {
  if (!('output' in event) || isTransferEnd(event)) return undefined;
  return event.output;
}

/** Returns the outcome of a transfer, if the event has one. */
export function transferOutcomeOf(event: JobEvent): ObservedOutcome | undefined {
  return isTransferEnd(event) ? event.output : undefined;
}

/** Returns the error message of a failed attempt, or `null`. */
export function attemptErrorOf(event: JobEvent): string | null {
  const answer = attemptResultOf(event);
  if (answer !== undefined) return answer.state === 'done' ? null : (answer.message ?? null);
  const transfer = transferOutcomeOf(event);
  if (transfer?.state === 'failed') return transfer.fault.message;
  if (transfer?.state === 'unknown') return transfer.detail;
  if (!('error' in event)) return null;
  const { error } = event;
  return error instanceof Object && 'message' in error ? String(error.message) : 'no answer';
}

function isTransferEnd(event: JobEvent): event is TransferEnd {
  return event.type === 'xstate.done.actor.collect' || event.type === 'xstate.done.actor.pay';
}
