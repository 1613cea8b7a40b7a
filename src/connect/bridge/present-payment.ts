import { AppError, toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { PAYMENT_META } from '../../domain/payment/payment.ts';
import type { Ending } from '../ledger/ledger.ts';
import type { ReservedRow } from '../ledger/rows.ts';
import type { RpcAnswer } from '../upstream/http-session.ts';
import { type CallerDeps, type ClientCall, sendCall } from './caller.ts';
import { verdictOf, worded } from './receipt.ts';
import { capsIn } from './setting.ts';
import { dollars, leftToday, type RawResult, spendingOf, withSpending } from './spending.ts';

/** How long to wait for a final payment before the call fails, in milliseconds. */
export const PENDING_MS_MAX = 120 * SECOND_MS;
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
): Promise<RpcAnswer> {
  const { ledger, wallet, now } = deps;
  const payment = await wallet.sign(reserved.authorization, reserved.accepted);
  const price = dollars(reserved.amount);
  call.say(`paying ${price}, ${left(deps)} left today`);
  let isTold = false;
  const tellPaid = (): void => {
    if (!isTold) call.say(`paid ${price}, ${left(deps)} left today`);
    isTold = true;
  };
  const isUpfront = reserved.accepted.extra['paymentFlow'] === 'upfront';
  const onProgress = (params: Readonly<Record<string, unknown>>): void => {
    // An upfront payment settles before the work: progress of the work implies settlement.
    if (isUpfront) tellPaid();
    call.onProgress?.(params);
  };
  const sent = { meta: { [PAYMENT_META]: payment }, isRepeatable: true };
  for (const until = now() + PENDING_MS_MAX; ; ) {
    const answer = await sendCall(deps, { ...call, onProgress }, sent).catch((thrown: unknown) => {
      throw toAppError(thrown).code === 'SERVER_UNREACHABLE' ? away(reserved, thrown) : thrown;
    });
    // An aborted call has no reader: keep the payment open, so that the same call finds it.
    call.signal.throwIfAborted();
    if (!('result' in answer)) return answer;
    const verdict = verdictOf(answer.result);
    if (verdict.kind === 'ended') {
      const end = (): void => ledger.end(reserved.nonce, verdict.ending);
      // Keep the payment open until the client has the result, so that a repeated call gets it.
      if (verdict.ending.outcome === 'settled') call.whenDelivered(end);
      else end();
      if (verdict.ending.outcome === 'settled') tellPaid();
      return { result: accounted(deps, worded(answer.result), reserved, verdict.ending) };
    }
    if (now() > until) throw stillPending(reserved);
    call.say(`waiting for the payment of ${price} to become final`);
    await pause(PENDING_PAUSE_MS, call.signal);
  }
}

/** Text added to a result whose payment did not settle. */
const NOTES: Readonly<Record<Ending['outcome'], string>> = {
  settled: '',
  refused: ' The amount counts against the caps until its authorization expires.',
  doubtful: ' The payment may still settle. Call again to present the same payment.',
  released: '',
};

function accounted(
  deps: CallerDeps,
  result: RawResult,
  reserved: ReservedRow,
  { outcome, refund, tx }: Ending,
): RawResult {
  const caps = capsIn(deps.setting(), deps.wanted);
  const spending = spendingOf({
    price: reserved.amount,
    paid: outcome === 'settled' ? reserved.amount : '0',
    left: leftToday(deps.ledger, caps),
    caps,
    payTo: reserved.payTo,
    transaction: tx,
  });
  const back = refund === null ? '' : ` ${dollars(refund)} is refunded to the wallet.`;
  return withSpending(result, spending, `${NOTES[outcome]}${back}`);
}

function left({ ledger, setting, wanted }: CallerDeps): string {
  return dollars(leftToday(ledger, capsIn(setting(), wanted)));
}

function stillPending({ nonce, amount }: ReservedRow): AppError {
  return new AppError('PAYMENT_PENDING', {
    message:
      `The payment of ${dollars(amount)} is signed but not final yet. Call again with the same ` +
      'arguments: the wallet presents the same payment and does not pay twice.',
    data: { nonce },
  });
}

function away({ nonce, amount, server }: ReservedRow, cause: unknown): AppError {
  return new AppError('SERVER_UNREACHABLE', {
    message:
      `The server at ${server} became unreachable. A payment of ${dollars(amount)} is signed ` +
      'and its outcome is unknown. Call again with the same arguments when the server is back: ' +
      'the wallet presents the same payment and does not pay twice.',
    data: { nonce },
    cause,
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
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
