import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import {
  AppError,
  ERRORS,
  type ErrorCode,
  errorBody,
  toAppError,
} from '../../domain/common/error.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import { controlsOfPath } from '../../domain/control/standing.ts';
import {
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  type SettlementResponse,
} from '../../domain/payment/payment.ts';
import type { ListedTool, ToolOutcome, ToolService } from '../../domain/tool/tool.ts';
import { readBody, readWishes } from '../a2a/ask.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { isLoopback, networkOf } from '../http/address.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { headPayments } from '../mcp/call/presented.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { json, refusal } from '../proof/ask.ts';

/** The base path of the paid services. */
export const SERVICES_PATH = '/v1/services';
/** Largest request body, in bytes. */
export const SERVICE_BODY_BYTES_MAX = 4_096;
/** Call limit per network, paid or not: a burst, and a rate per minute. */
export const SERVICE_RATE = { burst: 120, perMinute: 600 } as const;
/** Networks that the limiter tracks. It forgets the least recent one first. */
export const SERVICE_CALLERS_MAX = 20_000;

/** Delay before a client retries a payment that is not final, in seconds. */
const PENDING_RETRY_S = 2;
const VERSION_HINT = 'This server uses x402 version 2. Send PAYMENT-SIGNATURE, not X-PAYMENT.';

/** The dependencies of the service routes. */
export interface ServiceParts {
  readonly services: ToolService;
  readonly labels: ControlLabels;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the rate limit also applies to local callers. */
  readonly limitsLocalCallers: boolean;
  /** Resolves with the public address of the server. */
  baseUrl(): Promise<string>;
}

/**
 * Creates `GET /v1/services`, which lists the paid HTTP services, and `POST /v1/services/<name>`,
 * which sells one.
 */
export function serviceRoutes(parts: ServiceParts): readonly FrontRoute[] {
  const counter = new Counter(parts);
  const answered =
    (answer: (request: HttpRequest, body: Buffer) => Promise<HttpReply>) =>
    async (request: HttpRequest, body: Buffer): Promise<HttpReply> => {
      const waitMs = counter.take(request.remoteAddress);
      if (waitMs > 0) return refusal(new AppError('RATE_LIMITED'), waitMs);
      return answer(request, body).catch((thrown: unknown) => refusal(toAppError(thrown)));
    };
  const open = { access: 'open' as const };
  return [
    plainRoute(
      { ...open, methods: ['GET'], path: SERVICES_PATH },
      answered(async ({ query }) => {
        readWishes(query, []);
        return json(200, { services: await listed(parts) });
      }),
    ),
    ...parts.services.tools.map(({ name }) =>
      plainRoute(
        {
          ...open,
          methods: ['POST'],
          path: `${SERVICES_PATH}/${name}`,
          bodyBytesMax: SERVICE_BODY_BYTES_MAX,
          tooLarge: refusal(tooLarge()),
        },
        answered((request, body) => sell(parts, name, request, body)),
      ),
    ),
  ];
}

class Counter {
  readonly #parts: ServiceParts;
  readonly #buckets = new TokenBuckets(SERVICE_RATE, SERVICE_CALLERS_MAX);

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  take(address: string): number {
    const { clock, limitsLocalCallers } = this.#parts;
    if (!limitsLocalCallers && isLoopback(address)) return 0;
    return this.#buckets.take(networkOf(address), clock.now());
  }
}

async function sell(
  { services, baseUrl }: ServiceParts,
  name: string,
  request: HttpRequest,
  body: Buffer,
): Promise<HttpReply> {
  const { src } = readWishes(request.query, []);
  const { payments, hasLegacyPayment } = headPayments(request);
  const outcome = await services.call({
    name,
    arguments: readBody(request, body, z.record(z.string(), z.json())),
    payments,
    resourceUrl: `${await baseUrl()}${request.path}`,
    ...(src === undefined ? {} : { src }),
    principal: { kind: 'address', id: request.remoteAddress },
    signal: new AbortController().signal,
  });
  return replyOf(outcome, hasLegacyPayment);
}

function replyOf(outcome: ToolOutcome, hasLegacyPayment: boolean): HttpReply {
  switch (outcome.kind) {
    case 'unknown_tool':
      return refusal(new AppError('TOOL_UNKNOWN'));
    case 'result': {
      const { result, settlement } = outcome;
      const content = result.structuredContent ?? {};
      const status = result.isError === true ? statusOf(content['error']) : 200;
      return settled(json(status, content), settlement);
    }
    case 'payment_required': {
      const { required, status, settlement } = outcome;
      const code = codeOf(required['code']) ?? 'PAYMENT_REQUIRED';
      const message = hasLegacyPayment ? VERSION_HINT : required.error;
      const told = errorBody(new AppError(code, { message }));
      const reply = json(status, { ...told, data: { payment_required: required } });
      const challenge = [
        ...(status === ERRORS.PAYMENT_PENDING.status ? ['retry-after', `${PENDING_RETRY_S}`] : []),
        ...[PAYMENT_REQUIRED_HEADER, base64(required)],
      ];
      return settled({ ...reply, headers: [...(reply.headers ?? []), ...challenge] }, settlement);
    }
  }
}

async function listed({ services, labels, baseUrl }: ServiceParts) {
  const origin = await baseUrl();
  return services.tools.map((tool) => {
    const path = `${SERVICES_PATH}/${tool.name}`;
    return {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      method: 'POST',
      url: `${origin}${path}`,
      ...priceOf(tool),
      payment: 'x402 v2, scheme exact: HTTP 402 with PAYMENT-REQUIRED, then PAYMENT-SIGNATURE',
      controls: controlsOfPath('POST', path).map((id) => ({ id, label: labels.now(id) })),
      input_schema: tool.inputSchema,
      output_schema: tool.outputSchema,
    };
  });
}

function priceOf({ _meta: meta }: ListedTool) {
  return { price: meta?.['price'] ?? null, accepts: meta?.['x402/accepts'] ?? [] };
}

function settled(reply: HttpReply, settlement: SettlementResponse | undefined): HttpReply {
  if (settlement === undefined) return reply;
  const header = [PAYMENT_RESPONSE_HEADER, base64(settlement)];
  return { ...reply, headers: [...(reply.headers ?? []), ...header] };
}

function statusOf(code: unknown): number {
  return ERRORS[codeOf(code) ?? 'INTERNAL'].status;
}

function codeOf(code: unknown): ErrorCode | undefined {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : undefined;
}

function tooLarge(): AppError {
  return new AppError('BODY_TOO_LARGE', { data: { allowed: SERVICE_BODY_BYTES_MAX } });
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
