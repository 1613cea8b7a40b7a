import { AppError, invariant, toAppError } from '../../domain/common/error.ts';
import { hashJson, sha256Hex } from '../../domain/common/hash.ts';
import { createCapability } from '../../domain/common/id.ts';
import { isObject } from '../../domain/common/json.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import {
  PAYMENT_IDENTIFIER_EXTENSION,
  type PaymentPayload,
  REPEAT_KEY_EXTENSION,
  type SettlementResponse,
  X402_VERSION,
} from '../../domain/payment/payment.ts';
import type { PaymentChain, PaymentFailure } from '../../domain/payment/payment-chain.ts';
import type { ClaimedPayment, PaymentIds } from '../../domain/payment/payment-ids.ts';
import type { PaymentOrder, PaymentRecord } from '../../domain/payment/payment-record.ts';
import type { JobOrder, PresentedPayment } from '../../domain/tool/tool.ts';
import { type ToolResult, toErrorResult } from '../../domain/tool/tool-result.ts';
import type { Ev, View } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';
import type { Services } from '../common/services.ts';
import { PAYMENT_KIND } from './definition.ts';
import { PaymentIdentifiers } from './identifiers.ts';
import {
  type BoundCall,
  type BoundKey,
  derivePaymentId,
  derivePaymentKey,
  isSamePayment,
  type PaymentKey,
  readPresented,
} from './presented-payment.ts';
import {
  findPayment,
  type PaymentState,
  type PaymentView,
  readPayment,
  readPaymentView,
  stateOf,
} from './record.ts';
import { createFailedSettlement, createSettlement, faultOfPayment } from './settlement.ts';

/** Maximum number of payments processed at once. Above it, calls fail with `OVERLOADED`. */
export const PENDING_PAYMENTS_MAX = 10_000;

/**
 * How long a settled payment without an identifier returns its answer again, in milliseconds. Long
 * enough for a retry, too short for third parties that read the signature on the chain.
 */
export const UNIDENTIFIED_REPEAT_MS = 5 * MINUTE_MS;

/**
 * How long the payer of an answer gets it again by signing in, in milliseconds. Clients sign in
 * without being told to, so an answer must not get much older than one that is bought now.
 */
export const SIGNED_IN_REPEAT_MS = DAY_MS;

/** Longest wait for the chain before the caller gets `PAYMENT_PENDING`, in milliseconds. */
const SETTLE_WAIT_MS = 90 * SECOND_MS;
/** Longest duration of unpaid work, in milliseconds. The authorization may expire earlier. */
const UNPAID_WORK_MS = 15 * MINUTE_MS;
/**
 * Longest duration of paid inline work and of paid jobs, in milliseconds. Later, a refund follows.
 */
const PAID_WORK_MS = { inline: 15 * MINUTE_MS, job: 7 * DAY_MS } as const;
/** Longest wait for a job that its payment has ordered, in milliseconds. */
const JOB_CREATION_WAIT_MS = 10 * SECOND_MS;
/** Longest wait for a payment to process its finished job, in milliseconds. */
const JOB_REPORT_WAIT_MS = 10 * SECOND_MS;
const REASON_CHARS_MAX = 200;

/** States in which the payment waits for the chain. */
const PENDING_STATES: readonly PaymentState[] = ['challenged', 'settling', 'refunding'];
/** Final states in which a prepaid job was never created. */
const TERMINAL_UNPAID: readonly PaymentState[] = ['refused', 'failed'];

type Ports = Pick<Services, 'blobs' | 'chain' | 'clock' | 'engine' | 'random'> & {
  readonly ids: PaymentIds;
};

/** What catalogues list of a sold resource, as a payment shows it to a facilitator. */
export type PaymentListing = Pick<PaymentPayload, 'resource' | 'extensions'>;

/** A call with the payment for it. */
export interface PaidCall extends BoundCall {
  readonly resourceUrl: string;
  /** Returns what a remote facilitator is shown, if payments are settled by one. */
  listing?(): PaymentListing;
  /** The payer may get the answer again by signing in, without this payment. */
  readonly isForSignIn?: boolean;
  readonly src?: string;
  /** Trace ID of the payment and its job. */
  readonly trace?: string;
  /** All presented payments. More than one is refused. */
  readonly payments: readonly PresentedPayment[];
  /** Id of the job that this payment orders, if the caller knows it already. Never used twice. */
  readonly jobId?: string;
  /** Job tools only: prepares the job before any money moves. If it throws, nothing is charged. */
  order?(by: { readonly paymentId: string; readonly payer: string }): Promise<JobOrder>;
  /**
   * Inline tools: runs the work, never twice at the same time, and never again once it returned.
   * Job tools: returns the state of the job, which exists by then, on every call. Failures are
   * returned as error results.
   */
  run(paid: {
    readonly paymentId: string;
    /** In lower case. */
    readonly payer: string;
    readonly jobId?: string;
  }): Promise<ToolResult>;
  /**
   * Inline tools only: runs the follow-up actions after settlement, and completes the stored
   * result. Called again on every repeat of the call.
   */
  finish?(
    paid: { readonly paymentId: string; readonly payer: string },
    result: ToolResult,
  ): Promise<ToolResult>;
}

/**
 * The outcome of a payment. With `refused`, nothing is charged now; `fault` says whether it may be
 * later.
 */
export type PaidAnswer =
  | {
      readonly kind: 'answered';
      readonly result: ToolResult;
      readonly settlement?: SettlementResponse;
    }
  | {
      readonly kind: 'refused';
      readonly fault: PaymentFailure;
      readonly settlement?: SettlementResponse;
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
  readonly #pending = new Map<string, PendingPayment>();

  constructor(deps: Ports) {
    this.chain = deps.chain;
    this.#deps = deps;
    this.#identifiers = new PaymentIdentifiers(deps.ids, deps.engine);
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
      if (call.isForSignIn === true) await this.#keepForSignIn(call, payment);
      return await this.#answer(call, payment);
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

  /**
   * Returns the newest answer that a wallet has bought by this same call, for
   * `SIGNED_IN_REPEAT_MS` after its settlement. The caller must have proven the wallet.
   */
  async answerAgain(
    wallet: string,
    call: Pick<PaidCall, 'tool' | 'args' | 'finish'>,
  ): Promise<PaidAnswer | undefined> {
    const { clock, engine, ids } = this.#deps;
    const bought = ids.find({ payer: wallet, identifierHash: hashSignedInCall(call) });
    if (bought === undefined) return undefined;
    const payment = await findPayment(engine, bought.paymentId);
    if (payment?.state !== 'closed') return undefined;
    const { settledAt } = payment.record;
    if (settledAt === null || clock.now() > settledAt + SIGNED_IN_REPEAT_MS) return undefined;
    return this.#answerWork(call, payment);
  }

  /** The answer is paid for, so it is returned even if this cannot be stored. */
  async #keepForSignIn(call: PaidCall, { record, state }: PaymentView): Promise<void> {
    if (state !== 'closed') return;
    const { clock, ids } = this.#deps;
    const { binding: fingerprint, payer, paymentId } = record;
    const of = { payer: payer.toLowerCase(), identifierHash: hashSignedInCall(call) };
    if (ids.find(of)?.paymentId === paymentId) return;
    await ids.bind({ ...of, fingerprint, paymentId }, clock.now()).catch(() => undefined);
  }

  /** Returns whether these payments were accepted earlier and order the job of this id. */
  async isOrderOf(jobId: string, payments: readonly PresentedPayment[]): Promise<boolean> {
    if (payments.length !== 1) return false;
    const { accepted, payload } = readPresented(payments);
    const paymentId = derivePaymentId(accepted, payload.authorization);
    return (await findPayment(this.#deps.engine, paymentId))?.record.jobId === jobId;
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
    const payment = await this.#waitUntilSettled(key.paymentId);
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
      const order = this.#createOrder(call, key, ordered);
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

  #createOrder(call: PaidCall, key: PaymentKey, ordered: JobOrder | undefined): PaymentOrder {
    const { chain, clock, random } = this.#deps;
    const listing = chain.facts.facilitatorExtra === undefined ? {} : call.listing?.();
    const { paymentId, binding, argsHash, payload, identifierHash } = key;
    const jobId = ordered === undefined ? null : (call.jobId ?? createCapability('job', random));
    return {
      paymentId,
      flow: call.flow,
      tool: call.tool,
      argsHash,
      binding,
      priceMicroUsd: call.offer.amount,
      network: call.offer.network,
      payer: payload.payload.authorization.from,
      resourceUrl: call.resourceUrl,
      src: call.src ?? null,
      payload: {
        x402Version: X402_VERSION,
        accepted: call.offer,
        payload: payload.payload,
        ...listing,
      },
      identifierHash,
      lapseMs: unpaidLifetimeMs(payload.payload.authorization.validBefore, clock.now()),
      workMs: jobId === null ? PAID_WORK_MS.inline : PAID_WORK_MS.job,
      jobId,
      job:
        ordered === undefined
          ? null
          : { kind: ordered.kind, input: { ...ordered.input, jobId, paymentId } },
    };
  }

  /** Settle: waits until the chain has answered, at most `SETTLE_WAIT_MS`. */
  async #waitUntilSettled(paymentId: string): Promise<PaymentView> {
    const { engine } = this.#deps;
    try {
      const view = await engine.waitFor(paymentId, isIdle, { timeoutMs: SETTLE_WAIT_MS });
      return readPaymentView(view);
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
      return readPayment(engine, paymentId);
    }
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
    return this.#waitUntilSettled(paymentId);
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

  /** Answer: returns the result that a payment bought, or the reason why it was refused. */
  async #answer(call: PaidCall, payment: PaymentView): Promise<PaidAnswer> {
    switch (payment.isStuck ? 'unknown' : payment.state) {
      case 'settled':
      case 'closed':
      case 'refunding':
      case 'refund_due':
      case 'refunded':
        return payment.record.jobId === null
          ? this.#answerWork(call, payment)
          : this.#answerJob(call, payment, payment.record.jobId);
      case 'released':
        return this.#answerReleased(payment);
      case 'challenged':
      case 'verified':
      case 'settling':
      case 'unknown':
      case 'failed':
      case 'refused':
        return answerRefused(payment);
    }
  }

  async #answerWork(call: Pick<PaidCall, 'finish'>, payment: PaymentView): Promise<PaidAnswer> {
    const { paymentId, payer, resultSha } = payment.record;
    const stored = resultSha === null ? unfinishedResult() : this.#readResult(resultSha);
    const isEarned = payment.state === 'closed' && stored.isError !== true;
    const paid = { paymentId, payer: payer.toLowerCase() };
    const result = isEarned ? ((await call.finish?.(paid, stored)) ?? stored) : stored;
    return this.#withSettlement(result, payment);
  }

  async #answerJob(call: PaidCall, payment: PaymentView, jobId: string): Promise<PaidAnswer> {
    const { paymentId, payer } = payment.record;
    if (payment.state === 'settled') await this.#waitForJob(jobId);
    const result = await call.run({ paymentId, payer: payer.toLowerCase(), jobId });
    return this.#withSettlement(result, await this.#waitForJobReport(paymentId, jobId));
  }

  /** Waits for the job that the settling commit created; the outbox delivers it shortly after. */
  async #waitForJob(jobId: string): Promise<void> {
    try {
      const options = { timeoutMs: JOB_CREATION_WAIT_MS, untilCreated: true };
      await this.#deps.engine.waitFor(jobId, () => true, options);
    } catch (cause) {
      if (isEngineCode(cause, 'ASK_TIMEOUT')) throw new AppError('JOB_UNKNOWN', { cause });
      throw cause;
    }
  }

  /** Returns the payment after it has processed its finished job, which may start a refund. */
  async #waitForJobReport(paymentId: string, jobId: string): Promise<PaymentView> {
    const { engine } = this.#deps;
    const job = await findActor(engine, jobId);
    if (job !== undefined && job.status !== 'active') {
      const until = ({ value }: Pick<View, 'value'>) => stateOf({ value }) !== 'settled';
      await engine
        .waitFor(paymentId, until, { timeoutMs: JOB_REPORT_WAIT_MS })
        .catch((thrown: unknown) => {
          if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
        });
    }
    return this.#waitUntilSettled(paymentId);
  }

  async #withSettlement(result: ToolResult, payment: PaymentView): Promise<PaidAnswer> {
    const settlement = await createSettlement(this.chain, payment);
    const answer = { kind: 'answered', result } as const;
    return settlement === undefined ? answer : { ...answer, settlement };
  }

  /** Returns the tool's own error result when the work failed. The caller was not charged. */
  #answerReleased(payment: PaymentView): PaidAnswer {
    const { resultSha } = payment.record;
    if (resultSha === null) return answerRefused(payment);
    return { kind: 'answered', result: this.#readResult(resultSha) };
  }

  #readResult(sha: string): ToolResult {
    const text = this.#deps.blobs.get(sha);
    invariant(text !== undefined, 'a result is stored before its payment refers to it');
    return JSON.parse(text) as ToolResult;
  }
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
      'This payment was used before. To get its result again, send the same payment identifier ' +
      `or \`${REPEAT_KEY_EXTENSION}\` extension that you sent with it the first time.`,
    data: { needs: [PAYMENT_IDENTIFIER_EXTENSION, REPEAT_KEY_EXTENSION] },
  });
}

/** A payment without an identifier is limited by time only. */
function assertRepeatAllowed({ identifierHash, settledAt }: PaymentRecord, now: number): void {
  const isBare = identifierHash === null || identifierHash === undefined;
  if (!isBare || settledAt === null || now <= settledAt + UNIDENTIFIED_REPEAT_MS) return;
  throw new AppError('PAYMENT_REPLAYED', {
    message:
      'This payment settled more than 5 minutes ago and has no payment identifier, so its result ' +
      'cannot be returned again.',
    data: { settled_at: new Date(settledAt).toISOString() },
  });
}

/** No client can choose an identifier of this form. */
function hashSignedInCall({ tool, args }: Pick<PaidCall, 'tool' | 'args'>): string {
  return sha256Hex(`sign-in:${tool}:${hashJson(args)}`);
}

function keyFromRecord({ binding, payload, identifierHash = null }: PaymentRecord): BoundKey {
  return { binding, payload, identifierHash };
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

function isIdle(view: View): boolean {
  return view.status === 'stuck' || !PENDING_STATES.includes(stateOf(view));
}

function unpaidLifetimeMs(validBefore: string, now: number): number {
  const left = BigInt(validBefore) * BigInt(SECOND_MS) - BigInt(now);
  if (left <= 0n) return 0;
  return left < BigInt(UNPAID_WORK_MS) ? Number(left) : UNPAID_WORK_MS;
}

function answerRefused(payment: PaymentView): PaidAnswer {
  const fault = faultOfPayment(payment);
  return { kind: 'refused', fault, settlement: createFailedSettlement(payment.record, fault.code) };
}

function unfinishedResult(): ToolResult {
  return toErrorResult(
    new AppError('INTERNAL', { message: 'The work did not finish. Your payment is refunded.' }),
  );
}
