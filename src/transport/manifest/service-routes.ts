import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import {
  AppError,
  ERRORS,
  type ErrorCode,
  errorBody,
  toAppError,
} from '../../domain/common/error.ts';
import { listControlsOfPath } from '../../domain/control/control-view.ts';
import type { ControlLabels } from '../../domain/control/controls.ts';
import {
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
  type SettlementResponse,
} from '../../domain/payment/payment.ts';
import type { ToolOutcome, ToolService } from '../../domain/tool/tool.ts';
import { SIGN_IN_HEADER, type SignIn } from '../../domain/wallet/sign-in.ts';
import { readBody, readOptionalQuery } from '../a2a/read-request.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { isLoopback, networkOf } from '../http/address.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { readHeadPayments } from '../mcp/call/read-payments.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { errorReply, jsonReply } from '../proof/replies.ts';

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
export interface ServiceDeps {
  readonly services: ToolService;
  readonly labels: ControlLabels;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the rate limit also applies to local callers. */
  readonly limitsLocalCallers: boolean;
  /** Lets buyers get again what they have bought. Without it, the proof is ignored. */
  readonly signIn?: Pick<SignIn, 'prove'>;
  /** Resolves with the public address of the server. */
  baseUrl(): Promise<string>;
}

/**
 * Creates `GET /v1/services`, which lists the paid HTTP services, and `POST /v1/services/<name>`,
 * which sells one.
 */
export function serviceRoutes(parts: ServiceDeps): readonly FrontRoute[] {
  const counter = new CallLimiter(parts);
  const answered =
    (answer: (request: HttpRequest, body: Buffer) => Promise<HttpReply>) =>
    async (request: HttpRequest, body: Buffer): Promise<HttpReply> => {
      const waitMs = counter.take(request.remoteAddress);
      if (waitMs > 0) return errorReply(new AppError('RATE_LIMITED'), waitMs);
      return answer(request, body).catch((thrown: unknown) => errorReply(toAppError(thrown)));
    };
  const open = { access: 'open' as const };
  return [
    plainRoute(
      { ...open, methods: ['GET'], path: SERVICES_PATH },
      answered(async ({ query }) => {
        readOptionalQuery(query, []);
        return jsonReply(200, { services: await listServices(parts) });
      }),
    ),
    ...parts.services.tools.map(({ name }) =>
      plainRoute(
        {
          ...open,
          methods: ['POST'],
          path: `${SERVICES_PATH}/${name}`,
          bodyBytesMax: SERVICE_BODY_BYTES_MAX,
          tooLarge: errorReply(tooLarge()),
        },
        answered((request, body) => sellService(parts, name, request, body)),
      ),
    ),
  ];
}

class CallLimiter {
  readonly #parts: ServiceDeps;
  readonly #buckets = new TokenBuckets(SERVICE_RATE, SERVICE_CALLERS_MAX);

  constructor(parts: ServiceDeps) {
    this.#parts = parts;
  }

  take(address: string): number {
    const { clock, limitsLocalCallers } = this.#parts;
    if (!limitsLocalCallers && isLoopback(address)) return 0;
    return this.#buckets.take(networkOf(address), clock.now());
  }
}

async function sellService(
  { services, signIn, baseUrl }: ServiceDeps,
  name: string,
  request: HttpRequest,
  body: Buffer,
): Promise<HttpReply> {
  const { src } = readOptionalQuery(request.query, []);
  const { payments, hasLegacyPayment } = readHeadPayments(request);
  const proof = headerOf(request, SIGN_IN_HEADER);
  const signedIn =
    proof === undefined ? undefined : await signIn?.prove({ header: proof, path: request.path });
  const outcome = await services.call({
    name,
    arguments: readBody(request, body, z.record(z.string(), z.json())),
    payments,
    resourceUrl: `${await baseUrl()}${request.path}`,
    ...(src === undefined ? {} : { src }),
    ...(signedIn === undefined ? {} : { signedIn }),
    principal: { kind: 'address', id: request.remoteAddress },
    signal: new AbortController().signal,
  });
  return outcomeReply(outcome, hasLegacyPayment);
}

function outcomeReply(outcome: ToolOutcome, hasLegacyPayment: boolean): HttpReply {
  switch (outcome.kind) {
    case 'unknown_tool':
      return errorReply(new AppError('TOOL_UNKNOWN'));
    case 'result': {
      const { result, settlement } = outcome;
      const content = result.structuredContent ?? {};
      const status = result.isError === true ? statusOf(content['error']) : 200;
      return withSettlementHeader(jsonReply(status, content), settlement);
    }
    case 'payment_required': {
      const { required, status, settlement } = outcome;
      const code = codeOf(required['code']) ?? 'PAYMENT_REQUIRED';
      const message = hasLegacyPayment ? VERSION_HINT : required.error;
      const body = errorBody(new AppError(code, { message }));
      const reply = jsonReply(status, { ...body, data: { payment_required: required } });
      const challenge = [
        ...(status === ERRORS.PAYMENT_PENDING.status ? ['retry-after', `${PENDING_RETRY_S}`] : []),
        ...[PAYMENT_REQUIRED_HEADER, base64(required)],
      ];
      return withSettlementHeader(
        { ...reply, headers: [...(reply.headers ?? []), ...challenge] },
        settlement,
      );
    }
  }
}

async function listServices({ services, labels, baseUrl }: ServiceDeps) {
  const origin = await baseUrl();
  return services.tools.map((tool) => {
    const path = `${SERVICES_PATH}/${tool.name}`;
    const details = services.describe(tool.name);
    return {
      name: tool.name,
      title: tool.title,
      description: details?.description ?? tool.description,
      method: 'POST',
      url: `${origin}${path}`,
      price: tool._meta?.['price'] ?? null,
      accepts: details?.accepts ?? [],
      payment: 'x402 v2, scheme exact: HTTP 402 with PAYMENT-REQUIRED, then PAYMENT-SIGNATURE',
      controls: listControlsOfPath('POST', path).map((id) => ({ id, label: labels.labelOf(id) })),
      input_schema: details?.inputSchema ?? tool.inputSchema,
      output_schema: details?.outputSchema ?? tool.outputSchema,
    };
  });
}

function withSettlementHeader(
  reply: HttpReply,
  settlement: SettlementResponse | undefined,
): HttpReply {
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
