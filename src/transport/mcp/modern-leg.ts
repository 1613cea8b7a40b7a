import {
  classifyInboundRequest,
  createMcpHandler,
  type McpHttpHandler,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { isObject } from '../../domain/json.ts';
import { headerOf, queryValue } from '../http/headers.ts';
import type { HttpExchange, HttpRequest, HttpStream } from '../http/host.ts';
import type { EndpointCore } from './endpoint-core.ts';
import { headPayments } from './presented.ts';
import { type Caller, makeServiceServer } from './service-server.ts';
import { isSessionVersion } from './versions.ts';

/** Serves 2026-07-28 over HTTP, through the SDK's own handler. */
export class ModernLeg {
  private readonly core: EndpointCore;
  private readonly handler: McpHttpHandler;
  private readonly callers = new WeakMap<Request, Caller>();

  constructor(core: EndpointCore) {
    this.core = core;
    this.handler = createMcpHandler(
      ({ requestInfo }) => makeServiceServer(core.service, () => this.callerOf(requestInfo)),
      { legacy: 'reject', keepAliveMs: core.limits.keepAliveMs },
    );
  }

  /** Tells whether a POST speaks 2026-07-28 (or claims a version of that family). */
  claims(request: HttpRequest, body: unknown): boolean {
    const version = headerOf(request, 'mcp-protocol-version');
    const isPlain = version === undefined || isSessionVersion(version);
    if (isPlain && !hasEnvelope(body)) return false;
    const route = classifyInboundRequest({
      httpMethod: request.method,
      body,
      ...(version === undefined ? {} : { protocolVersionHeader: version }),
      ...optional('mcpMethodHeader', headerOf(request, 'mcp-method')),
      ...optional('mcpNameHeader', headerOf(request, 'mcp-name')),
    });
    return route.kind !== 'legacy';
  }

  /** Answers a POST that {@link claims} to be of this version. */
  async handle(exchange: HttpExchange, parsedBody: unknown): Promise<void> {
    const gone = new AbortController();
    exchange.listenClose({ connectionClosed: () => gone.abort() });
    const request = this.webRequest(exchange, gone.signal);
    const response = await this.handler.fetch(request, { parsedBody });
    const headers = [...response.headers].flat();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const body = new Uint8Array(await response.arrayBuffer());
      exchange.reply({ status: response.status, headers, body });
      return;
    }
    const stream = exchange.stream({ status: response.status, headers });
    if (stream === undefined || response.body === null) await response.body?.cancel();
    else await pump(response.body, stream);
  }

  close(): Promise<void> {
    return this.handler.close();
  }

  private webRequest(exchange: HttpExchange, signal: AbortSignal): Request {
    const { method, headers, query } = exchange.request;
    const sent = new Headers();
    for (let at = 0; at < headers.length; at += 2) {
      sent.append(headers[at] ?? '', headers[at + 1] ?? '');
    }
    const url = `${this.core.baseUrl()}${this.core.path}${query === '' ? '' : `?${query}`}`;
    const request = new Request(url, { method, headers: sent, signal });
    const src = queryValue(query, 'src');
    this.callers.set(request, {
      principal: this.core.principalOf(exchange.request),
      ...headPayments(exchange.request),
      ...(src === undefined ? {} : { src }),
    });
    return request;
  }

  private callerOf(request: Request | undefined): Caller {
    const known = request === undefined ? undefined : this.callers.get(request);
    const nobody = { kind: 'address', id: '' } as const;
    return known ?? { principal: nobody, payments: [], hasLegacyPayment: false };
  }
}

async function pump(body: ReadableStream<Uint8Array>, stream: HttpStream): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!stream.write(decoder.decode(value, { stream: true }))) {
      await reader.cancel();
      return;
    }
  }
  stream.end();
}

function hasEnvelope(body: unknown): boolean {
  if (!isObject(body) || !isObject(body['params'])) return false;
  const meta = body['params']['_meta'];
  return isObject(meta) && meta[PROTOCOL_VERSION_META_KEY] !== undefined;
}

function optional<Key extends string>(key: Key, value: string | undefined) {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}
