import { AppError, invariant } from '../../domain/common/error.ts';
import { type ToolResult, toErrorResult } from '../../domain/tool/tool-result.ts';
import type { Services } from '../common/services.ts';
import type { PaidAnswer, PaidCall } from './paid-call.ts';
import { waitForJob, waitForJobReport } from './payment-wait.ts';
import type { PaymentView } from './record.ts';
import { createFailedSettlement, createSettlement, faultOfPayment } from './settlement.ts';

/** Reads what a payment bought. */
export class PaymentAnswers {
  readonly #deps: Pick<Services, 'blobs' | 'chain' | 'engine'>;

  constructor(deps: Pick<Services, 'blobs' | 'chain' | 'engine'>) {
    this.#deps = deps;
  }

  /** Returns the result that a payment bought, or the reason why it was refused. */
  async answer(call: PaidCall, payment: PaymentView): Promise<PaidAnswer> {
    switch (payment.isStuck ? 'unknown' : payment.state) {
      case 'settled':
      case 'closed':
      case 'refunding':
      case 'refund_due':
      case 'refunded':
        return payment.record.jobId === null
          ? this.answerWork(call, payment)
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

  /** Returns the stored result of inline work, completed by `finish`. */
  async answerWork(call: Pick<PaidCall, 'finish'>, payment: PaymentView): Promise<PaidAnswer> {
    const { paymentId, payer, resultSha } = payment.record;
    const stored = resultSha === null ? unfinishedResult() : this.#readResult(resultSha);
    const isEarned = payment.state === 'closed' && stored.isError !== true;
    const paid = { paymentId, payer: payer.toLowerCase() };
    const result = isEarned ? ((await call.finish?.(paid, stored)) ?? stored) : stored;
    return this.#withSettlement(result, payment);
  }

  async #answerJob(call: PaidCall, payment: PaymentView, jobId: string): Promise<PaidAnswer> {
    const { paymentId, payer } = payment.record;
    if (payment.state === 'settled') await waitForJob(this.#deps.engine, jobId);
    const result = await call.run({ paymentId, payer: payer.toLowerCase(), jobId });
    return this.#withSettlement(
      result,
      await waitForJobReport(this.#deps.engine, paymentId, jobId),
    );
  }

  async #withSettlement(result: ToolResult, payment: PaymentView): Promise<PaidAnswer> {
    const settlement = await createSettlement(this.#deps.chain, payment);
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

function answerRefused(payment: PaymentView): PaidAnswer {
  const fault = faultOfPayment(payment);
  return { kind: 'refused', fault, settlement: createFailedSettlement(payment.record, fault.code) };
}

function unfinishedResult(): ToolResult {
  return toErrorResult(
    new AppError('INTERNAL', { message: 'The work did not finish. Your payment is refunded.' }),
  );
}
