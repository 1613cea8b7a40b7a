import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../domain/common/error.ts';
import { partsOf } from '../../runtime/durable/app-parts.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import { bearerToken } from '../../transport/front/access.ts';
import { Authority } from '../../transport/http/authority.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../../transport/http/host.ts';
import { NodeHost } from '../../transport/http/node/node-host.ts';
import { errorReply, isExpected, jsonReply } from './api-error.ts';
import type { ApiDeps, ApiRequest } from './api-routes.ts';
import { answerRequest } from './api-routes.ts';
import type { ServedApp, ServeOptions } from './api-types.ts';
import { buildOpenApi } from './openapi.ts';

const BODY_BYTES_MAX = 1_048_576;
const STREAM_WAITING_BYTES_MAX = 1_048_576;
/** How long open replies may take when the API closes, in milliseconds. */
const CLOSE_GRACE_MS = 500;

/**
 * Starts an API with checked options.
 *
 * @throws {AppError} `PORT_IN_USE`
 */
export async function startApi(
  engine: ActorEngine,
  options: ServeOptions & { readonly host: string; readonly port: number },
): Promise<ServedApp> {
  const { host: bindHost, port, token, bodyBytesMax = BODY_BYTES_MAX } = options;
  const parts = partsOf(engine);
  const named = (options.definitions ?? []).map((kind) => [kind.kind, kind] as const);
  const members = parts?.members ?? new Map(named);
  const deps: ApiDeps = { engine, members, schemas: options.schemas ?? {} };
  const openApi = jsonReply(200, buildOpenApi(deps, { isTokenRequired: token !== undefined }));
  const authority = new Authority({
    bindHost,
    allowedHosts: options.allowedHosts ?? [],
    allowedOrigins: [],
  });
  const ending = new AbortController();
  const message = `The body is too large; it must have at most ${bodyBytesMax} bytes.`;
  const host = new NodeHost({
    clock: systemClock(),
    streamWaitingBytesMax: STREAM_WAITING_BYTES_MAX,
    checks: [(request) => authority.check(request), tokenCheck(token)],
    replyHeaders: (request) => authority.replyHeaders(request),
    routes: [
      {
        methods: ['GET', 'POST'],
        path: '/',
        isPrefix: true,
        bodyBytesMax,
        tooLarge: errorReply(
          new AppError('BODY_TOO_LARGE', { message, data: { allowed: bodyBytesMax } }),
        ),
        handle: async (exchange) => {
          const reply =
            exchange.request.path === '/openapi.json'
              ? openApi
              : await answer(deps, exchange, ending.signal).catch((thrown: unknown) => {
                  if (!isExpected(thrown)) (options.onFault ?? printFault)(thrown as Error);
                  return errorReply(thrown);
                });
          exchange.reply(reply);
        },
      },
    ],
  });
  const bound = await host.listen(bindHost, port);
  authority.startAdmitting(bound);
  const close = async (): Promise<void> => {
    parts?.closers.delete(close);
    // Waits for results end at once; a client asks again.
    ending.abort();
    await host.close(CLOSE_GRACE_MS);
  };
  parts?.closers.add(close);
  return { url: `http://${bindHost.includes(':') ? `[${bindHost}]` : bindHost}:${bound}`, close };
}

function answer(deps: ApiDeps, exchange: HttpExchange, ending: AbortSignal): Promise<HttpReply> {
  const left = new AbortController();
  exchange.listenClose({ connectionClosed: () => left.abort() });
  const { method, path, query } = exchange.request;
  const request: ApiRequest = {
    method,
    parts: path.split('/').slice(1).map(decodePart),
    query: new URLSearchParams(query),
    exchange,
    signal: AbortSignal.any([left.signal, ending]),
  };
  return answerRequest(deps, request);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function tokenCheck(token: string | undefined) {
  if (token === undefined) return () => undefined;
  const wanted = digest(token);
  const { headers = [], ...reply } = errorReply(
    new AppError('UNAUTHORIZED', {
      message: 'Send the token as `Authorization: Bearer <token>`.',
    }),
  );
  const refusal = { ...reply, headers: [...headers, 'www-authenticate', 'Bearer'] };
  return (request: HttpRequest) =>
    timingSafeEqual(digest(bearerToken(request)), wanted) ? undefined : refusal;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function printFault(error: Error): void {
  process.stderr.write(`serve: ${error.message}\n`);
}
