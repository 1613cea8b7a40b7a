import {
  PAYMENT_META,
  PAYMENT_RESPONSE_META,
  type PaymentPayload,
  PaymentRequired,
} from '../../src/domain/payment/payment.ts';
import type { Ready } from '../../src/process/server/ready.ts';
import type { Payer } from './payer.ts';

/** How a call may differ from a plain one. */
export interface RawCall {
  readonly ready: Pick<Ready, 'mcp_v1' | 'mcp_v2'>;
  /** `header` calls `/v1/mcp`, `meta` calls `/v2/`. */
  readonly carrier: 'header' | 'meta';
  readonly tool: string;
  readonly args: object;
  /** Carried as the carrier does; each further one by one more header line. */
  readonly payments?: readonly unknown[];
  /** Lines beside the usual ones, and instead of them. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Put into `_meta` whatever the carrier is. */
  readonly meta?: object;
  /** Put behind the address. */
  readonly query?: string;
}

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly result: Readonly<Record<string, unknown>>;
  /** Everything that the caller could read, in one text. */
  readonly text: string;
}

const TIMEOUT_MS = 60_000;

/** One `tools/call` over plain HTTP, in a session of its own, by nobody's client. */
export async function rawCall(call: RawCall): Promise<RawAnswer> {
  const { ready, carrier, tool, args, payments = [], meta = {}, query = '' } = call;
  const url = `${carrier === 'header' ? ready.mcp_v1 : ready.mcp_v2}${query}`;
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  const hello = await post(url, headers, {
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'stranger', version: '1' },
    },
  });
  await hello.text();
  headers.set('mcp-session-id', hello.headers.get('mcp-session-id') ?? '');
  headers.set('mcp-protocol-version', '2025-11-25');
  if (carrier === 'header') {
    for (const payment of payments) headers.append('payment-signature', encodePayment(payment));
  }
  for (const [name, value] of call.headers ?? []) headers.append(name, value);
  const inBand = carrier === 'meta' && payments.length > 0 ? { [PAYMENT_META]: payments[0] } : {};
  const answer = await post(url, headers, {
    method: 'tools/call',
    params: { name: tool, arguments: args, _meta: { ...inBand, ...meta } },
  });
  const body = await answer.text();
  const parsed = answerIn(body) as { result?: Record<string, unknown> };
  const text = `${body} ${JSON.stringify([...answer.headers])}`;
  return { status: answer.status, headers: answer.headers, result: parsed.result ?? {}, text };
}

/** An answer that takes its time comes as a stream, whose last event holds it. */
function answerIn(body: string): unknown {
  const events = body.split('\n').filter((line) => /^data: ?./.test(line));
  return JSON.parse(events.at(-1)?.slice('data:'.length) ?? body);
}

/** The challenge of an unpaid call, from its body. */
export async function challengeFor(call: Omit<RawCall, 'payments'>): Promise<PaymentRequired> {
  const { result } = await rawCall(call);
  return PaymentRequired.parse(result['structuredContent']);
}

/** Pays as clients do: with the resource and the extensions of the challenge sent back. */
export async function payFor(payer: Payer, required: PaymentRequired): Promise<PaymentPayload> {
  const [offer] = required.accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  const { resource, extensions } = required;
  const payment = await payer.pay(offer);
  return { ...payment, resource, ...(extensions === undefined ? {} : { extensions }) };
}

/** What is public once a payment is on the chain: what was signed, and the signature. */
export function onChain({ accepted, payload }: PaymentPayload): PaymentPayload {
  return { x402Version: 2, accepted, payload };
}

/** The settlement of an answer; its members are `undefined` where there is none. */
export function receiptOf({ result }: Pick<RawAnswer, 'result'>): Receipt {
  return Object(Object(result['_meta'])[PAYMENT_RESPONSE_META]);
}

/** The job that an answer names. */
export function jobOf({ result }: Pick<RawAnswer, 'result'>): string {
  return Object(result['structuredContent']).job_id;
}

interface Receipt {
  readonly success: boolean;
  readonly transaction: string;
}

/** A payment as the header carries it. */
export function encodePayment(payment: unknown): string {
  const text = typeof payment === 'string' ? payment : JSON.stringify(payment);
  return Buffer.from(text).toString('base64');
}

/** Public code of a refusal; `undefined` for an answer. */
export function codeOf({ result }: RawAnswer): string | undefined {
  const { code } = Object(result['structuredContent']);
  return code;
}

function post(url: string, headers: Headers, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
