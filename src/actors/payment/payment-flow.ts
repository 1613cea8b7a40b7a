import { AppError, toAppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import type { SettlementResponse } from '../../domain/payment/payment.ts';
import type { PaymentChain, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { ClaimedPayment, PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import type { JobOrder, PresentedPayment } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type { Ev } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';
import type { Services } from '../common/services.ts';
import { createOrder } from './create-order.ts';
import { PAYMENT_KIND } from './definition.ts';
import { PaymentIdentifiers } from './identifiers.ts';
import type { PaidAnswer, PaidCall } from './paid-call.ts';
import { PaymentAnswers } from './payment-answers.ts';
import { waitUntilSettled } from './payment-wait.ts';
import {
  type BoundCall,
  derivePaymentId,
  derivePaymentKey,
  type PaymentKey,
  readPresented,
} from './presented-payment.ts';
import { findPayment, type PaymentState, type PaymentView } from './record.ts';
import { assertRepeatAllowed, assertSameCall, keyFromRecord } from './same-payment.ts';
import { createSettlement } from './settlement.ts';
import { SignedInAnswers } from './signed-in-answers.ts';

/** Maximum number of payments processed at once. Above it, calls fail with `OVERLOADED`. */
export const PENDING_PAYMENTS_MAX = 10_000;

const REASON_CHARS_MAX = 200;

/** Final states in which a prepaid job was never created. */
const TERMINAL_UNPAID: readonly PaymentState[] = ['refused', 'failed'];

type Ports = Pick<Services, 'blobs' | 'chain' | 'clock' | 'engine' | 'random'> & {
  readonly ids: PaymentIds;
};

/** Results of the checks that run before a payment key is reserved. */
interface Verification {
  /** An earlier claim of the identifier that may be replaced. */
  readonly replaceable: ClaimedPayment | undefined;
  /** The payment's own error, independent of other payments. */
  readonly fault: PaymentFailure | undefined;
}

/** A payment that is being processed. It reserves its key. */
interface PendingPayment {
  readonly key: PaymentKey;
  readonly processed: Promise<PaymentView>;
}

/**
 * Takes a presented payment through its steps: verify, reserve, settle, work, answer. A payment of
 * flow `upfront` settles before its work, which is a job; one of flow `authorization` settles only
 * for a stored result.
 */
export class PaymentFlow {
  readonly chain: PaymentChain;
  readonly #deps: Ports;
  readonly #identifiers: PaymentIdentifiers;
  readonly #answers: PaymentAnswers;
  readonly #signedIn: SignedInAnswers;
  readonly #pending = new Map<string, PendingPayment>();

  constructor(deps: Ports) {
    this.chain = deps.chain;
    this.#deps = deps;
    this.#identifiers = new PaymentIdentifiers(deps.ids, deps.engine);
    this.#answers = new PaymentAnswers(deps);
    this.#signedIn = new SignedInAnswers(deps);
  }

  /**
   * Processes a presented payment and returns what it bought. Each key runs once: the same payment
   * for the same call joins the pending one or gets the stored answer, also after a restart.
   *
   * @throws {AppError} `OVERLOADED`, `STORE_FULL`, and the errors of `order`. Nothing is charged
   *   then.
   */
  async pay(call: PaidCall): Promise<PaidAnswer> {
    try {
      const key = await this.#bindKey(call, call.payments);
      const verification = await this.#verify(call, key);
      const pending =
        this.#pending.get(key.paymentId) ?? (await this.#reserve(call, key, verification));
      assertSameCall(pending.key, key, verification.fault);
      const processed =
        pending.key === key
          ? pending.processed
          : this.#join(pending, key, verification.replaceable);
      const payment = await processed;
      if (call.isForSignIn === true) await this.#signedIn.keep(call, payment);
      return await this.#answers.answer(call, payment);
    } catch (thrown) {
      const error = appErrorFromEngine(thrown);
      if (!error.code.startsWith('PAYMENT_')) throw error;
      return { kind: 'refused', fault: toPaymentFault(error) };
    }
  }

  /** Returns whether these payments were accepted earlier for this same call. */
  async isKnown(call: BoundCall, payments: readonly PresentedPayment[]): Promise<boolean> {
    if (payments.length !== 1) return false;
    const key = await this.#bindKey(call, payments);
    const known = await findPayment(this.#deps.engine, key.paymentId);
    return known?.record.binding === key.binding;
  }

  /** Returns whether these payments were accepted earlier and order the job of this id. */
  async isOrderOf(jobId: string, payments: readonly PresentedPayment[]): Promise<boolean> {
    if (payments.length !== 1) return false;
    const { accepted, payload } = readPresented(payments);
    const paymentId = derivePaymentId(accepted, payload.authorization);
    return (await findPayment(this.#deps.engine, paymentId))?.record.jobId === jobId;
  }

  /**
   * Returns the newest answer that a wallet has bought by this same call, for
   * `SIGNED_IN_REPEAT_MS` after its settlement. The caller must have proven the wallet.
   */
  async answerAgain(
    wallet: string,
    call: Pick<PaidCall, 'tool' | 'args' | 'finish'>,
  ): Promise<PaidAnswer | undefined> {
    const payment = await this.#signedIn.find(wallet, call);
    return payment === undefined ? undefined : this.#answers.answerWork(call, payment);
  }

  /** Returns the settlement of the payment that ordered a job; `undefined` without one. */
  async settlementOf(jobId: string): Promise<SettlementResponse | undefined> {
    const input = (await findActor(this.#deps.engine, jobId))?.context['input'];
    const paymentId = isObject(input) ? input['paymentId'] : undefined;
    if (typeof paymentId !== 'string') return undefined;
    const payment = await findPayment(this.#deps.engine, paymentId);
    return payment === undefined ? undefined : createSettlement(this.chain, payment);
  }

  /** Payments from the time when all arguments were hashed keep that binding. */
  async #bindKey(call: BoundCall, payments: readonly PresentedPayment[]): Promise<PaymentKey> {
    const payload = readPresented(payments);
    const key = derivePaymentKey(payload, call);
    if (call.legacyArgs === undefined) return key;
    const former = derivePaymentKey(payload, { ...call, args: call.legacyArgs });
    const known = await findPayment(this.#deps.engine, key.paymentId);
    return known?.record.binding === former.binding ? former : key;
  }

  /** Verify: checks the identifier and the payment on its own. */
  async #verify(call: PaidCall, key: PaymentKey): Promise<Verification> {
    const { chain, clock } = this.#deps;
    const replaceable = await this.#identifiers.findReplaceable(key.claim);
    // If a contract cannot be queried now, only new payments fail.
    const fault = await chain.check(key.payload, call.offer, clock.now()).catch(toAppError);
    return { replaceable, fault };
  }

  /**
   * Reserve: reserves the key and begins to process the payment. There is no await between the last
   * check of the map and the reservation.
   */
  async #reserve(
    call: PaidCall,
    key: PaymentKey,
    { replaceable, fault }: Verification,
  ): Promise<PendingPayment> {
    const known = await findPayment(this.#deps.engine, key.paymentId);
    const pending = this.#pending.get(key.paymentId);
    if (pending !== undefined) return pending;
    if (known !== undefined) {
      assertSameCall(keyFromRecord(known.record), key, fault);
      assertRepeatAllowed(known.record, this.#deps.clock.now());
    } else if (fault !== undefined) throw new AppError(fault.code, fault);
    if (this.#pending.size >= PENDING_PAYMENTS_MAX) throw new AppError('OVERLOADED');
    this.#identifiers.reserve(key.claim, replaceable);
    const processed = this.#withIdentifier(key, () =>
      this.#process(call, key, known !== undefined),
    ).finally(() => {
      this.#identifiers.release(key.claim);
      this.#pending.delete(key.paymentId);
    });
    const reserved = { key, processed };
    this.#pending.set(key.paymentId, reserved);
    return reserved;
  }

  /** Waits for a pending payment. If the repeat adds an identifier, it is bound to this payment. */
  async #join(
    { processed }: PendingPayment,
    key: PaymentKey,
    replaceable: ClaimedPayment | undefined,
  ): Promise<PaymentView> {
    this.#identifiers.reserve(key.claim, replaceable);
    return this.#withIdentifier(key, () => processed).finally(() =>
      this.#identifiers.release(key.claim),
    );
  }

  /** Stores the identifier before the payment, so that no two payments share one. */
  async #withIdentifier(
    key: PaymentKey,
    process: () => Promise<PaymentView>,
  ): Promise<PaymentView> {
    await this.#identifiers.storeClaim(key.claim, this.#deps.clock.now());
    const payment = await process();
    if (payment.state === 'refused') await this.#identifiers.deleteClaim(key.claim);
    return payment;
  }

  /**
   * Processes a payment as far as possible: creates it if it is new, waits for the chain, runs
   * inline work that is due, and waits for the settlement. After a restart, continues from the
   * stored state.
   */
  async #process(call: PaidCall, key: PaymentKey, isKnown: boolean): Promise<PaymentView> {
    const order = isKnown ? undefined : await this.#create(call, key);
    const payment = await waitUntilSettled(this.#deps.engine, key.paymentId);
    // Another call may have opened this payment while we waited.
    const isOtherCall = payment.record.binding !== key.binding;
    if (isOtherCall || TERMINAL_UNPAID.includes(payment.state)) order?.release?.();
    if (isOtherCall) throw new AppError('PAYMENT_CONFLICT');
    if (payment.state === 'refused') await this.#purgeRefused(key.paymentId);
    return needsToolRun(payment) ? this.#work(call, payment.record, key.payload) : payment;
  }

  /**
   * Creates the payment of a call with the order of its job, if the tool runs as a job. The commit
   * that settles the payment also creates the job, so that none of the two is left without the
   * other.
   */
  async #create(call: PaidCall, key: PaymentKey): Promise<JobOrder | undefined> {
    const { paymentId, payload } = key;
    const payer = payload.payload.authorization.from;
    await this.#assertUnused(call.jobId);
    const ordered = await call.order?.({ paymentId, payer });
    try {
      const order = createOrder(call, key, ordered, this.#deps);
      const options = call.trace === undefined ? {} : { trace: call.trace };
      await this.#deps.engine.create(PAYMENT_KIND, paymentId, order, options);
      return ordered;
    } catch (thrown) {
      ordered?.release?.();
      throw thrown;
    }
  }

  /** A second payment under the id of a job would buy nothing. */
  async #assertUnused(jobId: string | undefined): Promise<void> {
    if (jobId === undefined || (await findActor(this.#deps.engine, jobId)) === undefined) return;
    throw new AppError('PAYMENT_CONFLICT', {
      message: 'The job of this id is paid already. You are not charged.',
      data: { job_id: jobId },
    });
  }

  /** Work: runs inline work once and stores its result before any money moves or is kept for it. */
  async #work(
    call: PaidCall,
    { paymentId, payer }: PaymentRecord,
    payload: PaymentKey['payload'],
  ): Promise<PaymentView> {
    const { engine, chain, blobs } = this.#deps;
    const result = await call.run({ paymentId, payer: payer.toLowerCase() });
    if (result.isError === true) chain.releaseReservation(payload);
    const resultSha = await blobs.put(JSON.stringify(result));
    try {
      await engine.tell(paymentId, workEvent(result, resultSha));
    } catch (thrown) {
      // The authorization or the time limit of the work expired first. The payment decides what
      // follows.
      if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw thrown;
    }
    return waitUntilSettled(this.#deps.engine, paymentId);
  }

  /** Deletes a refused payment. A row that is left after a crash is swept later. */
  async #purgeRefused(paymentId: string): Promise<void> {
    try {
      await this.#deps.engine.purge(paymentId);
    } catch (thrown) {
      const isLeft = isEngineCode(thrown, 'ACTOR_UNKNOWN') || isEngineCode(thrown, 'ACTOR_ACTIVE');
      if (!isLeft) throw thrown;
    }
  }
}

function toPaymentFault({ code, message, data }: AppError): PaymentFailure {
  return { code, message, data };
}

function workEvent(result: ToolResult, resultSha: string): Ev {
  if (result.isError !== true) return { type: 'WORK.DONE', resultSha };
  const [first] = result.content;
  const text = first?.type === 'text' ? first.text : 'the tool returned an error';
  const [line = ''] = text.split('\n');
  return { type: 'WORK.FAILED', resultSha, reason: line.slice(0, REASON_CHARS_MAX) };
}

function needsToolRun({ state, record, isStuck }: PaymentView): boolean {
  if (isStuck) return false;
  return state === 'verified' || (state === 'settled' && record.jobId === null);
}
