import { AppError, toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { PAYMENT_META } from '../../domain/payment/payment.ts';
import type { PaymentOutcome } from '../ledger/ledger.ts';
import type { ReservedRow } from '../ledger/rows.ts';
import type { RpcResponse } from '../upstream/http-session.ts';
import { type CallerDeps, type ClientCall, sendCall } from './caller.ts';
import { effectiveCaps } from './chain-settings.ts';
import { readPaymentProgress, worded } from './payment-answer.ts';
import {
  appendSpending,
  createSpending,
  formatDollars,
  type RawResult,
  remainingToday,
} from './spending.ts';

/** How long to wait for a final payment before the call fails, in milliseconds. */
export const PENDING_TIMEOUT_MS = 120 * SECOND_MS;
const PENDING_PAUSE_MS = SECOND_MS;

/**
 * Presents a reserved payment until its outcome is known, and records the outcome.
 *
 * @throws {AppError} `SERVER_UNREACHABLE`, `PAYMENT_PENDING`: the payment stays open, and the next
 * call presents it again.
 */
export async function presentPayment(
  deps: CallerDeps,
  call: ClientCall,
  reserved: ReservedRow,
): Promise<RpcResponse> {
  const { ledger, wallet, now } = deps;
  const payment = await wallet.sign(reserved.authorization, reserved.accepted);
  const price = formatDollars(reserved.amount);
  call.report(`paying ${price}, ${formatRemainingToday(deps)} left today`);
  let isReported = false;
  const reportPaid = (): void => {
    if (!isReported) call.report(`paid ${price}, ${formatRemainingToday(deps)} left today`);
    isReported = true;
  };
  const isUpfront = reserved.accepted.extra['paymentFlow'] === 'upfront';
  const onProgress = (params: Readonly<Record<string, unknown>>): void => {
    // An upfront payment settles before the work: progress of the work implies settlement.
    if (isUpfront) reportPaid();
    call.onProgress?.(params);
  };
  const sent = { meta: { [PAYMENT_META]: payment }, isRepeatable: true };
  for (const until = now() + PENDING_TIMEOUT_MS; ; ) {
    const answer = await sendCall(deps, { ...call, onProgress }, sent).catch((thrown: unknown) => {
      throw toAppError(thrown).code === 'SERVER_UNREACHABLE'
        ? unreachableError(reserved, thrown)
        : thrown;
    });
    // An aborted call has no reader: keep the payment open, so that the same call finds it.
    call.signal.throwIfAborted();
    if (!('result' in answer)) return answer;
    const verdict = readPaymentProgress(answer.result);
    if (verdict.kind === 'ended') {
      const end = (): void => ledger.recordOutcome(reserved.nonce, verdict.ending);
      // Keep the payment open until the client has the result, so that a repeated call gets it.
      if (verdict.ending.outcome === 'settled') call.whenDelivered(end);
      else end();
      if (verdict.ending.outcome === 'settled') reportPaid();
      return { result: addSpendingRecord(deps, worded(answer.result), reserved, verdict.ending) };
    }
    if (now() > until) throw pendingError(reserved);
    call.report(`waiting for the payment of ${price} to become final`);
    await sleep(PENDING_PAUSE_MS, call.signal);
  }
}

/** Text added to a result whose payment did not settle. */
const OUTCOME_NOTES: Readonly<Record<PaymentOutcome['outcome'], string>> = {
  settled: '',
  refused: ' The amount counts against the caps until its authorization expires.',
  doubtful: ' The payment may still settle. Call again to present the same payment.',
  released: '',
};

function addSpendingRecord(
  deps: CallerDeps,
  result: RawResult,
  reserved: ReservedRow,
  { outcome, refund, tx }: PaymentOutcome,
): RawResult {
  const caps = effectiveCaps(deps.chainSettings(), deps.capOverrides);
  const spending = createSpending({
    price: reserved.amount,
    paid: outcome === 'settled' ? reserved.amount : '0',
    left: remainingToday(deps.ledger, caps),
    caps,
    payTo: reserved.payTo,
    transaction: tx,
  });
  const back = refund === null ? '' : ` ${formatDollars(refund)} is refunded to the wallet.`;
  return appendSpending(result, spending, `${OUTCOME_NOTES[outcome]}${back}`);
}

function formatRemainingToday({ ledger, chainSettings, capOverrides }: CallerDeps): string {
  return formatDollars(remainingToday(ledger, effectiveCaps(chainSettings(), capOverrides)));
}

function pendingError({ nonce, amount }: ReservedRow): AppError {
  return new AppError('PAYMENT_PENDING', {
    message:
      `The payment of ${formatDollars(amount)} is signed but not final yet. Call again with the ` +
      'same arguments: the wallet presents the same payment and does not pay twice.',
    data: { nonce },
  });
}

function unreachableError({ nonce, amount, server }: ReservedRow, cause: unknown): AppError {
  return new AppError('SERVER_UNREACHABLE', {
    message:
      `The server at ${server} became unreachable. A payment of ${formatDollars(amount)} is ` +
      'signed and its outcome is unknown. Call again with the same arguments when the server ' +
      'is back: the wallet presents the same payment and does not pay twice.',
    data: { nonce },
    cause,
  });
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        fail(signal.reason);
      },
      { once: true },
    );
  });
}
