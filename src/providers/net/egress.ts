import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type {
  EgressPort,
  EgressRequest,
  EgressResponse,
  PeerCertificate,
} from '../../domain/net/egress.ts';
import { recordStart } from '../../system/running-work.ts';
import type { AddressRules } from './address-rules.ts';
import { blockedError, createAddressRules } from './address-rules.ts';
import type { RequestProgress } from './egress-error.ts';
import { toEgressError } from './egress-error.ts';
import type { Hop, Resolve } from './http-client.ts';
import { createRedirectHeaders, createRequestHeaders, race, readBody } from './http-message.ts';

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Default limit of decoded bytes. */
export const BODY_BYTES_DEFAULT = 5_000_000;
/** Default total timeout, in milliseconds. */
export const TOTAL_MS_DEFAULT = 15_000;
/** Default limit of redirects. */
export const REDIRECTS_DEFAULT = 5;
/** Most concurrent requests. Further ones are rejected with `OVERLOADED`. */
export const IN_FLIGHT_MAX = 256;

/** Options of the egress client. */
export interface EgressOptions {
  readonly clock: Clock;
  /** Sent with every request. Names the service and a contact. */
  readonly userAgent: string;
  /**
   * Exact `host:port` pairs that are exempt from the address and port rules. Never from user input.
   */
  readonly allowHosts?: readonly string[];
  /** Hosts that are never requested: our own public host, the chain's and the language models'. */
  readonly denyHosts?: readonly string[];
  readonly dns?: Resolve;
}

/** The egress client. `close` aborts running requests and resolves when all have ended. */
export interface Egress extends EgressPort {
  close(): Promise<void>;
}

/**
 * Creates the only client for hosts that a buyer names. It reaches public addresses only, checked
 * where the socket connects and again on every redirect. Each request has its own connection, and
 * everything is limited. Besides the errors of the port it throws `OVERLOADED`, and `EGRESS_FAILED`
 * of kind `aborted` when the caller's signal or `close` ended a request. All errors contain `url`,
 * `redirects` and `phase`.
 *
 * @example
 * const egress = createEgress({ clock, userAgent: 'stoa/1 (+https://example.org)' });
 * const { status, body } = await egress.fetch({ url: 'https://example.org/', method: 'GET' });
 */
export function createEgress(options: EgressOptions): Egress {
  const rules = createAddressRules(options.allowHosts ?? [], options.denyHosts ?? []);
  let client: Promise<HttpClient> | undefined;
  const load = (): Promise<HttpClient> => {
    client ??= loadHttpClient(rules, options.dns);
    return client;
  };
  const deps: EgressDeps = { ...options, rules, load };
  const running = new Set<RunningRequest>();
  return {
    fetch: async (request) => {
      if (running.size >= IN_FLIGHT_MAX) throw new AppError('OVERLOADED');
      const one = startRequest(deps, request);
      running.add(one);
      try {
        return await one.answer;
      } finally {
        running.delete(one);
      }
    },
    close: async () => {
      for (const one of running) one.stop();
      await Promise.allSettled([...running].map((one) => one.answer));
    },
  };
}

type HttpClient = Awaited<ReturnType<typeof loadHttpClient>>;

/**
 * Loaded late: the HTTP client is a fifth of a server's code, and most starts need it much later.
 */
async function loadHttpClient(rules: AddressRules, dns: Resolve | undefined) {
  const { createConnectors, resolveWithSystem, sendHop } = await import('./http-client.ts');
  return { connectors: createConnectors(rules, dns ?? resolveWithSystem), sendHop };
}

interface EgressDeps extends EgressOptions {
  readonly rules: AddressRules;
  load(): Promise<HttpClient>;
}

interface RunningRequest {
  readonly answer: Promise<EgressResponse>;
  stop(): void;
}

function startRequest(means: EgressDeps, request: EgressRequest): RunningRequest {
  const { clock } = means;
  const startedAt = clock.now();
  const stop = new AbortController();
  const trip: RequestProgress = {
    stage: 'connect',
    url: request.url,
    redirects: [],
    endedBy: undefined,
  };
  const end = (why: RequestProgress['endedBy']) => () => {
    trip.endedBy ??= why;
    stop.abort();
  };
  const due = startedAt + (request.totalTimeoutMs ?? TOTAL_MS_DEFAULT);
  const offs = [clock.at(due, end('deadline')), onAbort(request.signal, end('caller'))];
  const work = async () => {
    try {
      const answer = await followRedirects(means, request, trip, stop.signal);
      return { ...answer, ms: Math.max(0, clock.now() - startedAt) };
    } catch (thrown) {
      throw toEgressError(thrown, trip);
    } finally {
      for (const off of offs) off();
    }
  };
  return { answer: work(), stop: end('closed') };
}

async function followRedirects(
  means: EgressDeps,
  request: EgressRequest,
  trip: RequestProgress,
  signal: AbortSignal,
): Promise<Omit<EgressResponse, 'ms'>> {
  let url = means.rules.check(request.url);
  let headers = createRequestHeaders(request.headers, means.userAgent);
  const { connectors, sendHop } = await race(means.load(), signal);
  for (;;) {
    trip.url = url.href;
    trip.stage = 'connect';
    let certificate: PeerCertificate | undefined;
    const connect = connectors.for(url, (socket) => {
      trip.stage = 'headers';
      certificate = readCertificate(socket);
    });
    const { method, body } = request;
    const sent = body === undefined ? {} : { body };
    const hop = await sendHop({ url, method, headers, ...sent, connect, signal });
    try {
      const next = method === 'POST' ? undefined : redirectTarget(means.rules, hop, url);
      if (next === undefined) {
        const answer = await readAnswer(hop, request, trip, signal);
        return certificate === undefined ? answer : { ...answer, certificate };
      }
      checkRedirect(next, trip, request.redirectsMax ?? REDIRECTS_DEFAULT);
      trip.redirects.push(url.href);
      headers = createRedirectHeaders(headers, next.origin === url.origin);
      url = next;
    } finally {
      hop.close();
    }
  }
}

async function readAnswer(
  hop: Hop,
  request: EgressRequest,
  trip: RequestProgress,
  signal: AbortSignal,
): Promise<Omit<EgressResponse, 'ms'>> {
  trip.stage = 'body';
  const hasBody = request.method !== 'HEAD' && hop.status !== 204 && hop.status !== 304;
  const plan = {
    encoding: hasBody ? hop.headers['content-encoding'] : undefined,
    length: hop.headers['content-length'],
    maxBytes: request.maxBytes ?? BODY_BYTES_DEFAULT,
    truncate: request.truncate ?? false,
  };
  const body = hasBody ? await race(readBody(hop.body, plan), signal) : new Uint8Array();
  recordStart('answer', () => `of ${new URL(trip.url).host}`);
  return {
    status: hop.status,
    headers: hop.headers,
    body,
    finalUrl: trip.url,
    redirects: trip.redirects,
  };
}

function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (signal?.aborted === true) run();
  else signal?.addEventListener('abort', run, { once: true });
  return () => signal?.removeEventListener('abort', run);
}

/** Returns the certificate of a socket's peer, or `undefined` without encryption. */
export function readCertificate(socket: Socket): PeerCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
  const [validFrom, validTo] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
  if (Number.isNaN(validFrom) || Number.isNaN(validTo)) return undefined;
  return {
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
  };
}

/**
 * Returns the URL of a redirect, checked like the first URL, or `undefined` for a final answer.
 *
 * @throws {AppError} `EGRESS_BLOCKED`
 */
export function redirectTarget(
  rules: AddressRules,
  hop: Pick<Hop, 'status' | 'headers'>,
  url: URL,
): URL | undefined {
  const location = hop.headers['location'];
  if (!REDIRECT_STATUSES.includes(hop.status) || location === undefined) return undefined;
  const next = rules.check(location, url);
  if (url.protocol === 'https:' && next.protocol === 'http:') throw blockedError('downgrade', next);
  return next;
}

/**
 * Rejects redirect loops and more redirects than allowed.
 *
 * @throws {AppError} `EGRESS_FAILED` of kind `redirects`
 */
function checkRedirect(next: URL, trip: RequestProgress, max: number): void {
  const isLoop = next.href === trip.url || trip.redirects.includes(next.href);
  if (!isLoop && trip.redirects.length < max) return;
  throw new AppError('EGRESS_FAILED', {
    message: isLoop ? 'The redirects form a loop.' : 'There are too many redirects.',
    data: { kind: 'redirects', code: isLoop ? 'LOOP' : 'TOO_MANY', redirectsMax: max },
  });
}
