import type { CallOutcome } from '../../domain/chain/trust-chain.ts';
import { ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import type { PassportOrder } from '../../domain/passport/order.ts';
import type { RecordedFault } from '../../domain/payment/payment-record.ts';

/** What a passport is asked for with, and by which call. */
export interface PassportAsk {
  readonly order: PassportOrder;
  /** The signed call that asked; a repeat of it is the same. */
  readonly key: string;
  /** Attribution tag; without effect. */
  readonly src: string | null;
  /** Milliseconds; with the name, the key under which it is minted. */
  readonly at: number;
}

/** What the chain did at the operator's call; `transaction` is `null` where it was seen later. */
export interface ChainMark {
  readonly transaction: string | null;
  /** Milliseconds: when it was seen. */
  readonly at: number;
}

/** A wallet's consent to be bound. */
export interface Consent {
  readonly deadlineS: number;
  readonly signature: string;
}

/** A passport as its actor keeps it. Owner and wallet are not in it: the chain says them. */
export interface PassportContext {
  readonly ask: PassportAsk;
  readonly agentId: string | null;
  readonly minted: ChainMark | null;
  readonly consent: Consent | null;
  readonly bound: ChainMark | null;
  readonly claimed: ChainMark | null;
  readonly revoked: { readonly at: number; readonly reason: string; readonly by: string } | null;
  /** Transaction of a call whose outcome is not known yet. */
  readonly transaction: string | null;
  readonly fault: RecordedFault | null;
  /** Tries of the present call so far. */
  readonly tries: number;
}

/** What an effect over the chain found out, and when. */
export type SeenCall<Result> =
  | ({ readonly at: number } & Extract<CallOutcome<Result>, { state: 'refused' | 'unknown' }>)
  | {
      readonly at: number;
      readonly state: 'done';
      readonly transaction: string | null;
      readonly result: Result;
    };

/** What minting needs. */
export interface MintOrder {
  readonly order: PassportOrder;
  readonly askedAt: number;
}

/** What binding needs. */
export interface BindOrder extends Consent {
  readonly name: string;
  readonly agentId: string;
  readonly wallet: string;
}

/** What handing over needs. */
export interface ClaimOrder {
  readonly name: string;
  readonly agentId: string;
  readonly to: string;
}

/** What minting gives. */
export interface Minted {
  readonly agentId: string;
}

/** Everything that a passport takes. */
export type PassportEvent =
  | { readonly type: 'PASSPORT.ASKED'; readonly ask: PassportAsk }
  | { readonly type: 'WALLET.SIGNED'; readonly consent: Consent }
  | { readonly type: 'CLAIM.ASKED' }
  | { readonly type: 'PASSPORT.FORGOTTEN' }
  | {
      readonly type: 'PASSPORT.REVOKED';
      readonly reason: string;
      readonly by: string;
      readonly at: number;
    }
  | { readonly type: 'xstate.done.actor.register'; readonly output: SeenCall<Minted> }
  | { readonly type: 'xstate.done.actor.setWallet'; readonly output: SeenCall<null> }
  | { readonly type: 'xstate.done.actor.transfer'; readonly output: SeenCall<null> }
  | { readonly type: 'xstate.error.actor.register'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.setWallet'; readonly error: unknown }
  | { readonly type: 'xstate.error.actor.transfer'; readonly error: unknown };

/** A passport on its first day. */
export function askedPassport({ input }: { readonly input: PassportAsk }): PassportContext {
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

/** What an effect found out, if the event brings it. */
export function callOf(event: PassportEvent): SeenCall<Minted | null> | undefined {
  return 'output' in event ? event.output : undefined;
}

/** What the chain did, from the event that says so. */
export function markOf(event: PassportEvent, known: string | null): ChainMark | null {
  const seen = callOf(event);
  if (seen?.state !== 'done') return null;
  return { transaction: seen.transaction ?? known, at: seen.at };
}

/** Why a call did not go through, from whichever event says so. */
export function callFaultOf(event: PassportEvent): RecordedFault {
  const seen = callOf(event);
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

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERRORS, code);
}
