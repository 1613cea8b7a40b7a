import type { CallOutcome } from '../../domain/chain/trust-chain.ts';
import { ERRORS, isErrorCode } from '../../domain/common/error.ts';
import type { PassportOrder } from '../../domain/passport/order.ts';
import type { RecordedFault } from '../../domain/payment/payment-record.ts';

/** A passport order with the call that requested it. */
export interface PassportRequest {
  readonly order: PassportOrder;
  /** Key of the signed call; a repeat has the same key. */
  readonly key: string;
  /** Attribution tag without effect. */
  readonly src: string | null;
  /** Milliseconds; together with the name, the idempotency key of the mint. */
  readonly at: number;
}

/** A completed chain call; `transaction` is `null` if the result was only seen later. */
export interface ChainReceipt {
  readonly transaction: string | null;
  /** Time at which it was seen, in milliseconds. */
  readonly at: number;
}

/** A wallet's signed consent to be bound. */
export interface BindingConsent {
  readonly deadlineS: number;
  readonly signature: string;
}

/** Context of a passport actor. Owner and wallet are omitted because only the chain knows them. */
export interface PassportContext {
  readonly ask: PassportRequest;
  readonly agentId: string | null;
  readonly minted: ChainReceipt | null;
  readonly consent: BindingConsent | null;
  readonly bound: ChainReceipt | null;
  readonly claimed: ChainReceipt | null;
  readonly revoked: { readonly at: number; readonly reason: string; readonly by: string } | null;
  /** Transaction of a call with an unknown outcome. */
  readonly transaction: string | null;
  readonly fault: RecordedFault | null;
  /** Attempts of the current call. */
  readonly tries: number;
}

/** Outcome of a chain call, with the time at which it was seen. */
export type ObservedCall<Result> =
  | ({ readonly at: number } & Extract<CallOutcome<Result>, { state: 'refused' | 'unknown' }>)
  | {
      readonly at: number;
      readonly state: 'done';
      readonly transaction: string | null;
      readonly result: Result;
    };

/** Input of the `register` effect. */
export interface MintInput {
  readonly order: PassportOrder;
  readonly askedAt: number;
}

/** Input of the `setWallet` effect. */
export interface BindInput extends BindingConsent {
  readonly name: string;
  readonly agentId: string;
  readonly wallet: string;
}

/** Input of the `transfer` effect. */
export interface ClaimInput {
  readonly name: string;
  readonly agentId: string;
  readonly to: string;
}

/** Result of minting. */
export interface MintResult {
  readonly agentId: string;
}

/** Events that a passport accepts. */
export type PassportEvent =
  | { readonly type: 'PASSPORT.ASKED'; readonly ask: PassportRequest }
  | { readonly type: 'WALLET.SIGNED'; readonly consent: BindingConsent }
  | { readonly type: 'CLAIM.ASKED' }
  | { readonly type: 'PASSPORT.FORGOTTEN' }
  | {
      readonly type: 'PASSPORT.REVOKED';
      readonly reason: string;
      readonly by: string;
      readonly at: number;
    }
  | { readonly type: 'xstate.done.actor.register'; readonly output: ObservedCall<MintResult> }
  | { readonly type: 'xstate.done.actor.setWallet'; readonly output: ObservedCall<null> }
  | { readonly type: 'xstate.done.actor.transfer'; readonly output: ObservedCall<null> }
  | { readonly type: 'xstate.error.actor.register'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.setWallet'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.transfer'; readonly error: unknown };

/** Creates the initial context of a passport. */
export function createPassportContext({
  input,
}: {
  readonly input: PassportRequest;
}): PassportContext {
  return {
    ask: input,
    agentId: null,
    minted: null,
    consent: null,
    bound: null,
    claimed: null,
    revoked: null,
    transaction: null,
    fault: null,
    tries: 0,
  };
}

/** Returns the outcome of a chain call in an event, if any. */
export function callOutcomeOf(event: PassportEvent): ObservedCall<MintResult | null> | undefined {
  return 'output' in event ? event.output : undefined;
}

/** Returns the completed chain call in an event, or `null`. */
export function chainReceiptOf(event: PassportEvent, known: string | null): ChainReceipt | null {
  const seen = callOutcomeOf(event);
  if (seen?.state !== 'done') return null;
  return { transaction: seen.transaction ?? known, at: seen.at };
}

/** Returns why a call failed. */
export function callFailureOf(event: PassportEvent): RecordedFault {
  const seen = callOutcomeOf(event);
  if (seen?.state === 'refused') {
    return { code: seen.fault.code, message: seen.fault.message };
  }
  if (seen?.state === 'unknown') return { code: 'CHAIN_UNAVAILABLE', message: seen.detail };
  const { code, message } = ('error' in event ? (event.error ?? {}) : {}) as DeliveredError;
  return {
    code: isErrorCode(code) ? code : 'CHAIN_UNAVAILABLE',
    message: message ?? ERRORS.CHAIN_UNAVAILABLE.summary,
  };
}

interface DeliveredError {
  readonly code?: string;
  readonly message?: string;
}
