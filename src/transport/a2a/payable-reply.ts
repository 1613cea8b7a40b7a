import { AppError, ERRORS, errorBody, toAppError } from '../../domain/common/error.ts';
import type { JobView } from '../../domain/escrow/work.ts';
import type { WorkOutcome, WorkPayment } from '../../domain/escrow/work-board.ts';
import {
  FEE_BPS,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  type PaymentPayload,
  type PaymentRequired,
  type SettlementResponse,
  X402_VERSION,
} from '../../domain/payment/payment.ts';
import type { OfferSigner } from '../../tools/payment/signed-offers.ts';
import type { HttpReply } from '../http/host.ts';
import { readHeadPayments } from '../mcp/call/read-payments.ts';
import { jsonReply } from '../proof/replies.ts';
import type { BoardCall, BoardDeps } from './board-call.ts';
import { refusalReply } from './reply.ts';

/** A call that may require a payment. */
interface PayableCall {
  /** The resource that the challenge names. */
  readonly resourceUrl: string;
  readonly signOffer: OfferSigner;
  /** Runs the call. Without a payment it may return a price, and then changes nothing. */
  run(payment: PaymentPayload | undefined): Promise<WorkOutcome>;
}

/**
 * Replies as x402 does over HTTP: 402 with a challenge, or the job with its settlement.
 *
 * @param run - Runs the call. Without a payment it may return a price, and then changes nothing.
 * @throws {AppError} `PAYMENT_DUPLICATED`, `PAYMENT_MALFORMED`
 */
export async function payableReply(
  parts: BoardDeps,
  { request, url: resourceUrl }: BoardCall,
  run: PayableCall['run'],
): Promise<HttpReply> {
  const call = { resourceUrl, signOffer: parts.signOffer, run };
  const { payments, hasLegacyPayment } = readHeadPayments(request);
  const payment = payments.length === 0 ? undefined : parts.readPayment(payments);
  try {
    const outcome = await run(payment);
    if (outcome.kind === 'job') return jobReply(outcome, payment);
    const { description } = outcome.payment;
    const message = hasLegacyPayment ? `${description} ${VERSION_HINT}` : description;
    return await challengeReply(
      call,
      outcome.payment,
      new AppError('PAYMENT_REQUIRED', { message }),
    );
  } catch (thrown) {
    const error = toAppError(thrown);
    if (payment === undefined || !isPaymentError(error)) throw error;
    return rejectionReply(call, payment, error);
  }
}

const VERSION_HINT = 'This server uses x402 version 2. Send PAYMENT-SIGNATURE, not X-PAYMENT.';

function jobReply(
  { job, transaction }: Extract<WorkOutcome, { kind: 'job' }>,
  payment: PaymentPayload | undefined,
): HttpReply {
  const reply = jsonReply(200, job);
  if (payment === undefined || transaction === undefined) return reply;
  const settlement: SettlementResponse = {
    success: true,
    transaction,
    network: payment.accepted.network,
    payer: payment.payload.authorization.from,
    amount: payment.payload.authorization.value,
    extra: { feeBps: FEE_BPS, ...jobFacts(job) },
  };
  return withHeaders(reply, [PAYMENT_RESPONSE_HEADER, base64(settlement)]);
}

function jobFacts({ job_id: jobId, escrow_key: escrowKey, state }: JobView) {
  return { jobId, ...(escrowKey === null ? {} : { escrowKey }), state };
}

/** Explains why a payment was rejected, and adds a challenge if the client may pay again. */
async function rejectionReply(
  call: PayableCall,
  { accepted, payload }: PaymentPayload,
  error: AppError,
): Promise<HttpReply> {
  const settlement: SettlementResponse = {
    success: false,
    transaction: '',
    network: accepted.network,
    payer: payload.authorization.from,
    errorReason: error.code,
  };
  const rejectionHeader = [PAYMENT_RESPONSE_HEADER, base64(settlement)];
  // While a payment may still settle, no new challenge is offered: a client could pay twice.
  if (ERRORS[error.code].status !== 402) return withHeaders(refusalReply(error), rejectionHeader);
  const again = await call.run(undefined).catch(() => undefined);
  if (again?.kind !== 'payment_required') return withHeaders(refusalReply(error), rejectionHeader);
  return withHeaders(await challengeReply(call, again.payment, error), rejectionHeader);
}

async function challengeReply(
  call: PayableCall,
  payment: WorkPayment,
  error: AppError,
): Promise<HttpReply> {
  const required: PaymentRequired = {
    x402Version: X402_VERSION,
    error:
      error.code === 'PAYMENT_REQUIRED' ? 'Payment required' : `${error.code}: ${error.message}`,
    resource: {
      url: call.resourceUrl,
      description: payment.description,
      mimeType: 'application/json',
    },
    accepts: [payment.requirements],
    extensions: { ...(await call.signOffer(payment.requirements, call.resourceUrl)) },
  };
  const body = errorBody(error);
  const reply = jsonReply(402, { ...body, data: { ...body.data, payment_required: required } });
  return withHeaders(reply, [PAYMENT_REQUIRED_HEADER, base64(required)]);
}

function isPaymentError({ code }: AppError): boolean {
  return code.startsWith('PAYMENT_') || code === 'SETTLEMENT_FAILED';
}

function withHeaders(reply: HttpReply, headers: readonly string[]): HttpReply {
  return { ...reply, headers: [...(reply.headers ?? []), ...headers] };
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
