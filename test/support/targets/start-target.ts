import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bucketOf, SAFE_RULES } from './parts/front-rules.ts';
import { observation } from './parts/observed.ts';
import {
  headerOf,
  isInitialize,
  openSessions,
  type Sessions,
  type Shared,
} from './parts/sessions.ts';
import type { Access, RunningTarget, Target, Variant } from './target.ts';

/** No target takes in more than this, whatever its rules say. */
const BODY_BYTES_CAP = 8 * 1024 * 1024;
const WELL_KNOWN_MAX = 50;

interface Front {
  readonly shared: Shared;
  readonly sessions: Sessions;
  readonly access: Access;
  readonly token: string;
  readonly wellKnown: Map<string, string>;
  readonly bucket: { takes(): boolean };
  /** `127.0.0.1:port`. */
  own: string;
}

/** Starts a target on a free port of 127.0.0.1. Close it when the test ends. */
export async function startTarget(target: Target, variant: Variant): Promise<RunningTarget> {
  const plan = await target.make(variant);
  const rules = { ...SAFE_RULES, ...plan.front, ...variant.front };
  const shared: Shared = { plan, rules, observed: observation(), connections: 0, listings: 0 };
  const front: Front = {
    shared,
    sessions: openSessions(shared),
    access: variant.access ?? plan.access ?? 'open',
    token: randomBytes(24).toString('base64url'),
    wellKnown: new Map(),
    bucket: bucketOf(rules),
    own: '',
  };
  const server = createServer((request, response) => void answer(front, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  front.own = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return running(target, front, server);
}

function running(target: Target, front: Front, server: Server): RunningTarget {
  const { plan, observed } = front.shared;
  return {
    name: target.name,
    url: `http://${front.own}/mcp`,
    origin: `http://${front.own}`,
    headers: front.access === 'open' ? {} : { authorization: `Bearer ${front.token}` },
    observed,
    weakSpot: plan.weakSpot,
    serveWellKnown: (path, body) => {
      const isFull = front.wellKnown.size >= WELL_KNOWN_MAX && !front.wellKnown.has(path);
      if (!isFull) front.wellKnown.set(path.replace(/^\/?(\.well-known\/)?/, ''), body);
    },
    admit: (port, side) => plan.admit?.(port, side),
    close: async () => {
      await front.sessions.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await plan.close?.();
    },
  };
}

async function answer(
  front: Front,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await serve(front, request, response);
  } catch {
    if (!response.headersSent) say(response, 500, 'The server failed.');
    else response.destroy();
  }
}

async function serve(
  front: Front,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { rules, plan } = front.shared;
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const body = await bodyOf(request, Math.min(rules.bodyBytesMax, BODY_BYTES_CAP));
  note(front, request, body?.length ?? rules.bodyBytesMax + 1);
  if (path.startsWith('/.well-known/')) return serveFile(front, path, response);
  if (path !== '/mcp') return say(response, 404, 'Nothing is here; the endpoint is /mcp.');
  const refusal = refusalOf(front, request);
  if (refusal !== undefined) return say(response, refusal.status, refusal.text, refusal.headers);
  if (body === undefined) {
    return say(response, 413, `A request has at most ${rules.bodyBytesMax} bytes.`);
  }
  if (plan.meddle?.(request, response, body.toString('utf8')) === true) return;
  const parsed = body.length === 0 ? undefined : parsedOf(body.toString('utf8'));
  if (body.length > 0 && parsed === undefined) return say(response, 400, 'The body is no JSON.');
  const isLetIn =
    front.access === 'open' || rules.admitsCaller(request, front.token, isInitialize(parsed));
  if (!isLetIn) {
    return say(response, 401, 'A bearer token is needed.', { 'www-authenticate': 'Bearer' });
  }
  await front.sessions.handle(request, response, parsed);
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusalOf(front: Front, request: IncomingMessage): Refusal | undefined {
  const { rules } = front.shared;
  const host = request.headers.host ?? '';
  if (!rules.admitsHost(host, front.own, request)) {
    return { status: 421, text: 'This host is not served here.' };
  }
  const { origin } = request.headers;
  if (origin !== undefined && !rules.admitsOrigin(origin, front.own)) {
    return { status: 403, text: 'This origin may not call.' };
  }
  if (!front.bucket.takes()) {
    return { status: 429, text: 'Too many requests.', headers: { 'retry-after': '1' } };
  }
  return undefined;
}

function note(front: Front, request: IncomingMessage, sizeBytes: number): void {
  front.shared.observed.noteRequest({
    method: request.method ?? '',
    path: request.url ?? '',
    host: request.headers.host ?? '',
    origin: request.headers.origin,
    session: headerOf(request, 'mcp-session-id'),
    sizeBytes,
  });
}

function serveFile(front: Front, path: string, response: ServerResponse): void {
  const text = front.wellKnown.get(path.slice('/.well-known/'.length));
  if (text === undefined) {
    say(response, 404, 'No such file.');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}

function say(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32000, message: text } };
  const all = { 'content-type': 'application/json', ...headers };
  response.writeHead(status, all).end(JSON.stringify(error));
}

function parsedOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** The body, or nothing where it is larger than the bound; what comes above it is not kept. */
async function bodyOf(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_CAP) break;
    if (size <= bytesMax) chunks.push(chunk);
  }
  return size > bytesMax ? undefined : Buffer.concat(chunks);
}
