import { AppError, toAppError } from '../../domain/common/error.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import {
  PAYMENT_IDENTIFIER_EXTENSION,
  REPEAT_KEY_EXTENSION,
} from '../../domain/payment/payment.ts';
import type { PaymentChain, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { ClaimedPayment } from '../../domain/payment/payment-ids.ts';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import type { PresentedPayment } from '../../domain/tool/tool.ts';
import { appErrorFromEngine } from '../common/engine-error.ts';
import { PaymentIdentifiers } from './identifiers.ts';
import { createPaidAnswer } from './paid-answer.ts';
import type { PaidAnswer, PaidCall } from './paid-call.ts';
import {
  type BoundCall,
  type BoundKey,
  derivePaymentKey,
  isSamePayment,
  type PaymentKey,
  readPresented,
} from './presented-payment.ts';
import { type PaymentsDeps, processPayment } from './process-payment.ts';
import { findPayment, type PaymentView } from './record.ts';

/** Maximum number of payments processed at once. Above it, calls fail with `OVERLOADED`. */
export const PENDING_PAYMENTS_MAX = 10_000;

/**
 * How long a settled payment without an identifier returns its answer again, in milliseconds. Long
 * enough for a retry, too short for third parties that read the signature on the chain.
 */
export const UNIDENTIFIED_REPEAT_MS = 5 * MINUTE_MS;

/** Checks payments, runs the calls that they pay for, and settles them. */
export interface Payments {
  readonly chain: PaymentChain;
  /**
   * Processes a presented payment and returns what it bought. Each key runs once: the same payment
   * for the same call joins the pending one or gets the stored answer, also after a restart.
   *
   * @throws {AppError} `OVERLOADED`, `STORE_FULL`, and the errors of `order`. Nothing is charged
   *   then.
   */
  pay(call: PaidCall): Promise<PaidAnswer>;
  /** Returns whether these payments were accepted earlier for this same call. */
  isKnown(call: BoundCall, payments: readonly PresentedPayment[]): Promise<boolean>;
}

/** Results of the checks that run before a payment key is reserved. */
interface AdmissionChecks {
  /** An earlier claim of the identifier that may be replaced. */
  readonly replaceable: ClaimedPayment | undefined;
  /** The payment's own error, independent of other payments. */
  readonly fault: PaymentFailure | undefined;
}

/** A payment that is being processed. It reserves its key. */
interface PendingPayment {
  readonly key: PaymentKey;
  readonly landed: Promise<PaymentView>;
}

/** Creates the payment decision over an engine that runs payment actors. */
export function createPayments(deps: PaymentsDeps): Payments {
  const { engine, chain, clock } = deps;
  const pendingPayments = new Map<string, PendingPayment>();
  const identifiers = new PaymentIdentifiers(deps.ids, engine);

  async function pay(call: PaidCall): Promise<PaidAnswer> {
    try {
      const key = await bindKey(deps, call, call.payments);
      const vacant = await identifiers.findReplaceable(key.claim);
      // If a contract cannot be queried now, only new payments fail.
      const fault = await chain.check(key.payload, call.offer, clock.now()).catch(toAppError);
      const flight =
        pendingPayments.get(key.paymentId) ??
        (await reservePayment(call, key, { replaceable: vacant, fault }));
      assertSameCall(flight.key, key, fault);
      const landed = flight.key === key ? flight.landed : joinPending(flight, key, vacant);
      return await createPaidAnswer(deps, call, await landed);
    } catch (thrown) {
      const error = appErrorFromEngine(thrown);
      if (!error.code.startsWith('PAYMENT_')) throw error;
      return { kind: 'refused', fault: toPaymentFault(error) };
    }
  }

  /** Reserves the key. There is no await between the last check of the map and the reservation. */
  async function reservePayment(
    call: PaidCall,
    key: PaymentKey,
    { replaceable, fault }: AdmissionChecks,
  ): Promise<PendingPayment> {
    const known = await findPayment(engine, key.paymentId);
    const flying = pendingPayments.get(key.paymentId);
    if (flying !== undefined) return flying;
    if (known !== undefined) {
      assertSameCall(keyFromRecord(known.record), key, fault);
      assertRepeatAllowed(known.record, clock.now());
    } else if (fault !== undefined) throw new AppError(fault.code, fault);
    if (pendingPayments.size >= PENDING_PAYMENTS_MAX) throw new AppError('OVERLOADED');
    identifiers.reserve(key.claim, replaceable);
    const landed = processWithIdentifier(key, () =>
      processPayment(deps, call, key, known !== undefined),
    ).finally(() => {
      identifiers.release(key.claim);
      pendingPayments.delete(key.paymentId);
    });
    const flight = { key, landed };
    pendingPayments.set(key.paymentId, flight);
    return flight;
  }

  /** Waits for a pending payment. If the repeat adds an identifier, it is bound to this payment. */
  async function joinPending(
    { landed }: PendingPayment,
    key: PaymentKey,
    vacant: ClaimedPayment | undefined,
  ) {
    identifiers.reserve(key.claim, vacant);
    return processWithIdentifier(key, () => landed).finally(() => identifiers.release(key.claim));
  }

  /** Stores the identifier before the payment, so that no two payments share one. */
  async function processWithIdentifier(key: PaymentKey, decide: () => Promise<PaymentView>) {
    await identifiers.storeClaim(key.claim, clock.now());
    const decided = await decide();
    if (decided.state === 'refused') await identifiers.deleteClaim(key.claim);
    return decided;
  }

  return { chain, pay, isKnown: (call, payments) => isAcceptedBefore(deps, call, payments) };
}

/** Payments from the time when all arguments were hashed keep that binding. */
async function bindKey(
  { engine }: PaymentsDeps,
  call: BoundCall,
  payments: readonly PresentedPayment[],
): Promise<PaymentKey> {
  const payload = readPresented(payments);
  const key = derivePaymentKey(payload, call);
  if (call.legacyArgs === undefined) return key;
  const former = derivePaymentKey(payload, { ...call, args: call.legacyArgs });
  const known = await findPayment(engine, key.paymentId);
  return known?.record.binding === former.binding ? former : key;
}

async function isAcceptedBefore(
  deps: PaymentsDeps,
  call: BoundCall,
  payments: readonly PresentedPayment[],
): Promise<boolean> {
  if (payments.length !== 1) return false;
  const key = await bindKey(deps, call, payments);
  const known = await findPayment(deps.engine, key.paymentId);
  return known?.record.binding === key.binding;
}

/**
 * Throws if a known payment is presented for another call. A payment with other terms or another
 * signature under the same key is checked on its own first, so that a forgery reveals nothing about
 * the payment it copies.
 */
function assertSameCall(
  owner: BoundKey,
  key: BoundKey,
  ownFault: PaymentFailure | undefined,
): void {
  const isSame = isSamePayment(owner.payload, key.payload);
  if (isSame && owner.binding === key.binding) {
    assertSamePayer(owner, key);
    return;
  }
  const fault = isSame ? undefined : ownFault;
  if (fault !== undefined) throw new AppError(fault.code, fault);
  throw new AppError('PAYMENT_CONFLICT');
}

/**
 * Throws unless the caller proves to be the payer. Anyone can read a settled signature on the
 * chain, so the result requires the payment identifier of the first call, which is never on the
 * chain.
 */
function assertSamePayer(owner: BoundKey, key: BoundKey): void {
  const { identifierHash } = owner;
  if (identifierHash === null || identifierHash === key.identifierHash) return;
  throw new AppError('PAYMENT_REPLAYED', {
    message:
      'This payment was used before. To get its result again, send the payment identifier or ' +
      'the challenge echo that you sent with it the first time.',
    data: { needs: [PAYMENT_IDENTIFIER_EXTENSION, REPEAT_KEY_EXTENSION] },
  });
}

/** A payment without an identifier is limited by time only. */
function assertRepeatAllowed({ identifierHash, settledAt }: PaymentRecord, now: number): void {
  const isBare = identifierHash === null || identifierHash === undefined;
  if (!isBare || settledAt === null || now <= settledAt + UNIDENTIFIED_REPEAT_MS) return;
  throw new AppError('PAYMENT_REPLAYED', {
    message: 'This payment settled more than 5 minutes ago and has no payment identifier.',
    data: { settled_at: new Date(settledAt).toISOString() },
  });
}

function keyFromRecord({ binding, payload, identifierHash = null }: PaymentRecord): BoundKey {
  return { binding, payload, identifierHash };
}

function toPaymentFault({ code, message, data }: AppError): PaymentFailure {
  return { code, message, data };
}
