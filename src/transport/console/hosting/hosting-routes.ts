import type { Clock } from '../../../domain/common/clock.ts';
import { AppError, toAppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import type { FrontRoute } from '../../front/front-route.ts';
import type { HttpExchange, HttpReply, HttpRequest } from '../../http/host.ts';
import type { InspectVisitor } from '../../inspect/inspect-client.ts';
import { Pulse } from '../../mcp/call/pulse.ts';
import { json, refusal } from '../../proof/ask.ts';
import { hostingAnswer } from './answers.ts';
import { CHANGE_BYTES_MAX } from './change-bodies.ts';
import { hostingChange } from './changes.ts';
import { LogFeed } from './log-feed.ts';
import { tailChoice } from './log-page.ts';
import { mustHaveResource, noSuchAddress } from './resources.ts';

/** The path where the console reads and changes hosted resources. */
export const HOSTING_PATH = '/inspect/hosting';
/** Most open log feeds. */
export const LOG_FEEDS_MAX = 32;

const FLAG = '--console-actions';
const FEED_RETRY_MS = 5 * SECOND_MS;
const OWN = ['cross-origin-resource-policy', 'same-origin', 'x-content-type-options', 'nosniff'];

/** The console's access to hosting. */
export interface HostingDesk {
  /** Absent when nothing is hosted. Every reply is then `NOT_CONFIGURED`. */
  readonly provider: HostingProvider | undefined;
  /** The clock that the provider uses for timestamps. */
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the operator allows changes from consoles. */
  readonly mayChange: boolean;
  /** Receives one line per change, without the values. */
  readonly notice: (line: string) => void;
}

/** The dependencies of the routes. */
export interface HostingRouteParts {
  readonly desk: HostingDesk;
  readonly clock: Clock;
  /** Returns the visitor, or the reply that rejects the request. */
  readonly visitorOf: (request: HttpRequest) => InspectVisitor | HttpReply;
  readonly onFault: (error: AppError) => void;
}

/** Creates `GET` and `POST` below `/inspect/hosting`, for signed-in pages and the operator. */
export function hostingRoutes(parts: HostingRouteParts): readonly FrontRoute[] {
  const front = new HostingFront(parts);
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
        tooLarge: refusal(new AppError('BODY_TOO_LARGE', { data: { allowed: CHANGE_BYTES_MAX } })),
        handle: (exchange) => front.change(exchange),
      },
    ];
  });
}

class HostingFront {
  readonly #parts: HostingRouteParts;
  readonly #pulse: Pulse;
  readonly #feeds = new Set<LogFeed>();

  constructor(parts: HostingRouteParts) {
    this.#parts = parts;
    this.#pulse = new Pulse(parts.clock);
  }

  read(exchange: HttpExchange): Promise<void> {
    return this.#answered(exchange, async ({ endsAt }) => {
      const { desk } = this.#parts;
      const provider = mustHost(desk);
      const { request } = exchange;
      const parts = partsOf(request);
      if (parts.join('/') === 'logs/tail') return this.#tail(exchange, provider, endsAt);
      const reads = { provider, mayChange: desk.mayChange, clock: desk.clock };
      return json(200, await hostingAnswer(reads, parts, request.query));
    });
  }

  change(exchange: HttpExchange): Promise<void> {
    return this.#answered(exchange, async ({ by }) => {
      const { desk } = this.#parts;
      const provider = mustHost(desk);
      if (!desk.mayChange) throw isOff();
      const { told, deployId } = await hostingChange(
        provider,
        partsOf(exchange.request),
        exchange.body,
      );
      desk.notice(`${by.startsWith('console:') ? by : `console:${by}`} ${told}`);
      return json(200, { deployId });
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
    const choice = tailChoice(exchange.request.query);
    await Promise.all(choice.resource.map((id) => mustHaveResource(provider, id)));
    if (this.#feeds.size >= LOG_FEEDS_MAX) {
      const data = { open: this.#feeds.size, allowed: LOG_FEEDS_MAX, wait_ms: FEED_RETRY_MS };
      throw new AppError('RATE_LIMITED', { message: 'Too many open log feeds.', data });
    }
    const onEnd = (feed: LogFeed): void => {
      this.#feeds.delete(feed);
    };
    const feed = LogFeed.open({ provider, choice, pulse: this.#pulse, endsAt, onEnd }, exchange);
    if (feed?.isOpen === true) this.#feeds.add(feed);
    return undefined;
  }

  async #answered(
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
      if (reply !== undefined) exchange.reply(ownOnly(reply));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'INTERNAL') this.#parts.onFault(error);
      const waitMs = error.data['wait_ms'];
      exchange.reply(ownOnly(refusal(error, typeof waitMs === 'number' ? waitMs : undefined)));
    }
  }
}

function ownOnly({ headers = [], ...reply }: HttpReply): HttpReply {
  return { ...reply, headers: [...headers, ...OWN] };
}

function mustHost({ provider }: HostingDesk): HostingProvider {
  if (provider !== undefined) return provider;
  throw new AppError('NOT_CONFIGURED', {
    message: 'No hosting provider is configured.',
  });
}

function isOff(): AppError {
  return new AppError('ACTION_OFF', {
    message: `Hosting actions are off. To enable them, run \`stoa serve ${FLAG} hosting\`.`,
    data: { received: 'hosting', flag: FLAG },
  });
}

function partsOf({ path }: HttpRequest): readonly string[] {
  const parts = path.slice(HOSTING_PATH.length).split('/').filter(Boolean);
  try {
    return parts.map(decodeURIComponent);
  } catch {
    throw noSuchAddress(parts);
  }
}
