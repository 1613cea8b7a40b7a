import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { EventLog } from '../../domain/event/event-log.ts';
import { readOptionalQuery } from '../a2a/read-request.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { networkOf } from '../http/address.ts';
import { compressReply } from '../http/compress-reply.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../http/host.ts';
import { Ticker } from '../mcp/call/ticker.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { errorReply, jsonReply, readCount } from '../proof/replies.ts';
import { EventStream } from './event-stream.ts';

/** The path of the event feed. */
export const EVENTS_PATH = '/v1/events';
/** Largest and default page size, in events. */
export const EVENTS_PAGE = { most: 1_000, usual: 100 } as const;
/** Read limit per network: a burst, and a rate per minute. */
export const EVENT_READS = { burst: 600, perMinute: 1_200 } as const;
/** Networks that the limiter tracks. It forgets the least recent one first. */
export const EVENT_READERS_MAX = 20_000;
/** Limits on open streams: per network, and in total. */
export const EVENT_STREAMS = { perAddress: 8, total: 512 } as const;

const SUBJECT_CHARS_MAX = 256;
const STREAM_RETRY_MS = 5 * SECOND_MS;
const STREAM_TYPE = 'text/event-stream';

/** The dependencies of the event feed. */
export interface EventFeedDeps {
  readonly events: EventLog;
  readonly clock: Clock;
  readonly limits?: { readonly perAddress: number; readonly total: number };
}

/** Creates `GET /v1/events`: the public feed, free of charge, in pages or as server-sent events. */
export function eventRoutes(reads: EventFeedDeps): readonly FrontRoute[] {
  const feed = new EventFeedServer(reads);
  return [
    {
      methods: ['GET', 'HEAD'],
      path: EVENTS_PATH,
      access: 'open',
      handle: (exchange) => feed.handle(exchange),
      end: () => feed.end(),
    },
  ];
}

class EventFeedServer {
  readonly #reads: EventFeedDeps;
  readonly #buckets = new TokenBuckets(EVENT_READS, EVENT_READERS_MAX);
  readonly #pulse: Ticker;
  readonly #streams = new Map<EventStream, string>();

  constructor(reads: EventFeedDeps) {
    this.#reads = reads;
    this.#pulse = new Ticker(reads.clock);
  }

  async handle(exchange: HttpExchange): Promise<void> {
    const { request } = exchange;
    try {
      const waitMs = this.#buckets.take(networkOf(request.remoteAddress), this.#reads.clock.now());
      if (waitMs > 0) throw rateLimited(EVENT_READS, waitMs);
      if (request.method === 'GET' && wantsStream(request)) this.#stream(exchange);
      else exchange.reply(await compressReply(this.#page(request), request));
    } catch (thrown) {
      const error = toAppError(thrown);
      const waitMs = error.code === 'RATE_LIMITED' ? Number(error.data['wait_ms']) : undefined;
      exchange.reply(errorReply(error, waitMs));
    }
  }

  /** Ends every stream when the server shuts down. */
  end(): void {
    for (const stream of this.#streams.keys()) stream.end();
    this.#pulse.stop();
  }

  #page(request: HttpRequest): HttpReply {
    const { events } = this.#reads;
    const { from = 0, limit, subject } = readEventQuery(request);
    const { size } = events;
    const found =
      subject === undefined ? events.read(from, limit) : events.about(subject, from, limit);
    const last = found.at(-1);
    const isWhole = subject !== undefined && found.length < limit;
    const next = isWhole || last === undefined ? Math.max(from, size) : last.seq + 1;
    return jsonReply(200, { events: found, next, size });
  }

  #stream(exchange: HttpExchange): void {
    const { request } = exchange;
    const { events } = this.#reads;
    const { from = events.size, subject } = readEventQuery(request);
    const network = networkOf(request.remoteAddress);
    this.#checkStreamLimit(network);
    const core = { events, pulse: this.#pulse };
    const order = { from, ...(subject === undefined ? {} : { subject }) };
    const opened = EventStream.open(core, order, exchange, (stream) => {
      this.#streams.delete(stream);
    });
    if (opened?.isOpen === true) this.#streams.set(opened, network);
  }

  #checkStreamLimit(network: string): void {
    const limits = this.#reads.limits ?? EVENT_STREAMS;
    const own = [...this.#streams.values()].filter((each) => each === network).length;
    if (own >= limits.perAddress || this.#streams.size >= limits.total) {
      throw rateLimited({ open: own, ...limits }, STREAM_RETRY_MS);
    }
  }
}

interface EventQuery {
  readonly from?: number;
  readonly limit: number;
  readonly subject?: string;
}

function readEventQuery(request: HttpRequest): EventQuery {
  const { from, limit, subject } = readOptionalQuery(request.query, ['from', 'limit', 'subject']);
  const lastId = headerOf(request, 'last-event-id');
  const count =
    limit === undefined ? EVENTS_PAGE.usual : readCount('limit', limit, EVENTS_PAGE.most);
  if (count === 0) throw invalid('`limit` must be 1 or more.', 0, `1 to ${EVENTS_PAGE.most}`);
  if (subject !== undefined && (subject === '' || subject.length > SUBJECT_CHARS_MAX)) {
    const allowed = `1 to ${SUBJECT_CHARS_MAX}`;
    throw invalid(`\`subject\` must have ${allowed} characters.`, subject.length, allowed);
  }
  return {
    limit: count,
    ...startPosition(from, lastId),
    ...(subject === undefined ? {} : { subject: subject.toLowerCase() }),
  };
}

/** Returns the start position. `Last-Event-ID` takes precedence over the `from` parameter. */
function startPosition(from: string | undefined, lastId: string | undefined): { from?: number } {
  const most = Number.MAX_SAFE_INTEGER - 1;
  if (lastId !== undefined) return { from: readCount('Last-Event-ID', lastId, most) + 1 };
  return from === undefined ? {} : { from: readCount('from', from, most) };
}

function wantsStream(request: HttpRequest): boolean {
  const accepted = (headerOf(request, 'accept') ?? '').split(',');
  return accepted.some((each) => each.split(';')[0]?.trim().toLowerCase() === STREAM_TYPE);
}

function rateLimited(allowed: object, waitMs: number): AppError {
  return new AppError('RATE_LIMITED', { data: { allowed, wait_ms: waitMs } });
}

function invalid(message: string, received: unknown, allowed: string): AppError {
  return new AppError('INPUT_INVALID', { message, data: { received, allowed } });
}
