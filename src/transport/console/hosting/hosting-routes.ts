import type { Clock } from '../../../domain/common/clock.ts';
import { AppError, toAppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import type { FrontRoute } from '../../front/front-route.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../../http/host.ts';
import type { InspectVisitor } from '../../inspect/inspect-client.ts';
import { Ticker } from '../../mcp/call/ticker.ts';
import { errorReply, jsonReply } from '../../proof/replies.ts';
import { CHANGE_BYTES_MAX } from './change-bodies.ts';
import { applyChange } from './changes.ts';
import { readHosting } from './hosting-reads.ts';
import { LogFeed } from './log-feed.ts';
import { readTailSelection } from './log-page.ts';
import { requireResource, unknownPath } from './resources.ts';

/** The path where the console reads and changes hosted resources. */
export const HOSTING_PATH = '/inspect/hosting';
/** Most open log feeds. */
export const LOG_FEEDS_MAX = 32;

const FLAG = '--console-actions';
const FEED_RETRY_MS = 5 * SECOND_MS;
const OWN = ['cross-origin-resource-policy', 'same-origin', 'x-content-type-options', 'nosniff'];

/** The console's access to hosting. */
export interface ConsoleHosting {
  /** Returns `undefined` while nothing is hosted. Every reply is then `NOT_CONFIGURED`. */
  provider(): HostingProvider | undefined;
  /** The clock that the provider uses for timestamps. */
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the operator allows changes from consoles. */
  readonly mayChange: boolean;
  /** Receives one line per change, without the values. */
  readonly notice: (line: string) => void;
}

/** The dependencies of the routes. */
export interface HostingRouteDeps {
  readonly hosting: ConsoleHosting;
  readonly clock: Clock;
  /** Returns the visitor, or the reply that rejects the request. */
  readonly visitorOf: (request: HttpRequest) => InspectVisitor | HttpReply;
  readonly onFault: (error: AppError) => void;
}

/** Creates `GET` and `POST` below `/inspect/hosting`, for signed-in pages and the operator. */
export function hostingRoutes(parts: HostingRouteDeps): readonly FrontRoute[] {
  const front = new HostingConsole(parts);
  return [false, true].flatMap((isPrefix): readonly FrontRoute[] => {
    const place = {
      access: 'console',
      path: `${HOSTING_PATH}${isPrefix ? '/' : ''}`,
      isPrefix,
    } as const;
    return [
      {
        ...place,
        methods: ['GET', 'HEAD'],
        handle: (exchange) => front.read(exchange),
        end: () => front.end(),
      },
      {
        ...place,
        methods: ['POST'],
        bodyBytesMax: CHANGE_BYTES_MAX,
        tooLarge: errorReply(
          new AppError('BODY_TOO_LARGE', { data: { allowed: CHANGE_BYTES_MAX } }),
        ),
        handle: (exchange) => front.change(exchange),
      },
    ];
  });
}

class HostingConsole {
  readonly #parts: HostingRouteDeps;
  readonly #pulse: Ticker;
  readonly #feeds = new Set<LogFeed>();

  constructor(parts: HostingRouteDeps) {
    this.#parts = parts;
    this.#pulse = new Ticker(parts.clock);
  }

  read(exchange: HttpExchange): Promise<void> {
    return this.#respond(exchange, async ({ endsAt }) => {
      const { hosting } = this.#parts;
      const provider = requireProvider(hosting);
      const { request } = exchange;
      const parts = pathSegments(request);
      if (parts.join('/') === 'logs/tail') return this.#tail(exchange, provider, endsAt);
      const reads = { provider, mayChange: hosting.mayChange, clock: hosting.clock };
      return jsonReply(200, await readHosting(reads, parts, request.query));
    });
  }

  change(exchange: HttpExchange): Promise<void> {
    return this.#respond(exchange, async ({ by }) => {
      const { hosting } = this.#parts;
      const provider = requireProvider(hosting);
      if (!hosting.mayChange) throw actionOffError();
      const { summary, answer } = await applyChange(
        provider,
        pathSegments(exchange.request),
        exchange.body,
      );
      hosting.notice(`${by.startsWith('console:') ? by : `console:${by}`} ${summary}`);
      return jsonReply(200, answer);
    });
  }

  /** Ends every feed when the server shuts down. */
  end(): void {
    for (const feed of [...this.#feeds]) feed.end();
    this.#pulse.stop();
  }

  async #tail(
    exchange: HttpExchange,
    provider: HostingProvider,
    endsAt: number | undefined,
  ): Promise<undefined> {
    const choice = readTailSelection(exchange.request.query);
    await Promise.all(choice.resource.map((id) => requireResource(provider, id)));
    if (this.#feeds.size >= LOG_FEEDS_MAX) {
      const data = { open: this.#feeds.size, allowed: LOG_FEEDS_MAX, wait_ms: FEED_RETRY_MS };
      throw new AppError('RATE_LIMITED', { message: 'Too many open log feeds.', data });
    }
    const onEnd = (feed: LogFeed): void => {
      this.#feeds.delete(feed);
    };
    const feed = LogFeed.open(
      { provider, selection: choice, pulse: this.#pulse, endsAt, onEnd },
      exchange,
    );
    if (feed?.isOpen === true) this.#feeds.add(feed);
    return undefined;
  }

  async #respond(
    exchange: HttpExchange,
    answer: (visitor: InspectVisitor) => Promise<HttpReply | undefined>,
  ): Promise<void> {
    const visitor = this.#parts.visitorOf(exchange.request);
    if ('status' in visitor) {
      exchange.reply(visitor);
      return;
    }
    try {
      const reply = await answer(visitor);
      if (reply !== undefined) exchange.reply(withSameOriginHeaders(reply));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'INTERNAL') this.#parts.onFault(error);
      const waitMs = error.data['wait_ms'];
      exchange.reply(
        withSameOriginHeaders(errorReply(error, typeof waitMs === 'number' ? waitMs : undefined)),
      );
    }
  }
}

function withSameOriginHeaders({ headers = [], ...reply }: HttpReply): HttpReply {
  return { ...reply, headers: [...headers, ...OWN] };
}

function requireProvider(hosting: ConsoleHosting): HostingProvider {
  const provider = hosting.provider();
  if (provider !== undefined) return provider;
  throw new AppError('NOT_CONFIGURED', {
    message: 'Nothing is hosted yet. Hosting opens with the first call of a hosting tool.',
  });
}

function actionOffError(): AppError {
  return new AppError('ACTION_OFF', {
    message: `Hosting actions are off. To enable them, run \`stoa serve ${FLAG} hosting\`.`,
    data: { received: 'hosting', flag: FLAG },
  });
}

function pathSegments({ path }: HttpRequest): readonly string[] {
  const parts = path.slice(HOSTING_PATH.length).split('/').filter(Boolean);
  try {
    return parts.map(decodeURIComponent);
  } catch {
    throw unknownPath(parts);
  }
}
