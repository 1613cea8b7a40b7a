import type { Clock } from '../../domain/common/clock.ts';
import type { AppError } from '../../domain/common/error.ts';
import type { Random } from '../../domain/common/random.ts';
import type { Inspector } from '../../domain/inspect/inspector.ts';
import { FOREIGN } from '../front/access.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { plain } from '../http/admit.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import type { SocketRoute } from '../http/socket.ts';
import type { InspectVisitor } from '../inspect/inspect-client.ts';
import { createInspectSocket } from '../inspect/inspect-socket.ts';
import { INSPECT_LIMITS, type InspectLimits } from '../inspect/limits.ts';
import { ConsoleCookies } from './cookie.ts';
import { EntryCodes } from './entry-codes.ts';
import { type ConsoleLink, entryRoutes } from './entry-routes.ts';
import { type HostingDesk, hostingRoutes } from './hosting/hosting-routes.ts';
import { CONSOLE_PATH, pageRoutes } from './page-routes.ts';

/** What an operator decides about the console. */
export interface ConsoleOptions {
  /** Where the built page is. */
  readonly folder: string;
  /** Drawn from the operator's token; signs the cookies. */
  readonly cookieKey: Uint8Array;
  readonly limits?: Partial<InspectLimits>;
  /** What is hosted; nothing is without one. */
  readonly hosting?: HostingDesk;
  /** Hears of failures on our side. */
  readonly onFault?: (error: AppError) => void;
}

/** What the console needs of the front that serves it. */
export interface ConsoleParts {
  readonly options: ConsoleOptions;
  /** Consoles see nothing without one. */
  readonly inspector: Inspector | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly isSecure: boolean;
  /** Without a slash at the end. */
  readonly baseUrl: () => string;
  /** What is wrong with where a request comes from; asked of `/inspect`. */
  readonly foreign: (request: HttpRequest) => HttpReply | undefined;
  readonly isOperator: (request: HttpRequest) => boolean;
}

/** The console as a front serves it. */
export interface Console {
  readonly routes: readonly FrontRoute[];
  readonly sockets: readonly SocketRoute[];
  /** Why a request is not one of a page that has entered, nor the operator's. */
  refusalOf(request: HttpRequest): HttpReply | undefined;
  /** Makes a link that opens the console once. */
  link(): ConsoleLink;
  /** Consoles that are connected now. */
  count(): number;
}

/** Puts the page, its entry and its socket together. */
export function createConsole(parts: ConsoleParts): Console {
  const { options, inspector, clock, random, isSecure, baseUrl } = parts;
  const codes = new EntryCodes(clock, random);
  const cookies = new ConsoleCookies({ key: options.cookieKey, clock, random, isSecure });
  const link = (): ConsoleLink => {
    const { code, expiresAt } = codes.issue();
    // Behind the #: a browser sends that part to nobody.
    return { url: `${baseUrl()}${CONSOLE_PATH}#enter=${code}`, expiresAt };
  };
  const limits = { ...INSPECT_LIMITS, ...options.limits };
  const socket =
    inspector === undefined
      ? undefined
      : createInspectSocket({ inspector, clock, limits, ...heard(options) }, (request) =>
          visitorOf(request, parts, cookies),
        );
  const askerOf = (request: HttpRequest): InspectVisitor | HttpReply =>
    request.method === 'POST'
      ? visitorOf(request, parts, cookies)
      : readerOf(request, parts, cookies);
  const hosted = hostingRoutes({
    desk: options.hosting ?? { ...NOTHING_HOSTED, clock },
    clock,
    visitorOf: askerOf,
    onFault: (error) => options.onFault?.(error),
  });
  return {
    routes: [
      ...entryRoutes({ codes, cookies, clock, link }),
      ...hosted,
      ...pageRoutes(options.folder),
    ],
    sockets: socket === undefined ? [] : [socket.route],
    refusalOf: (request) => {
      const asker = askerOf(request);
      return 'status' in asker ? asker : undefined;
    },
    link,
    count: () => socket?.count() ?? 0,
  };
}

function heard({ onFault }: ConsoleOptions): Pick<ConsoleOptions, 'onFault'> {
  return onFault === undefined ? {} : { onFault };
}

/** Pages need our origin and the cookie; programs, which send no origin, the operator's token. */
function visitorOf(
  request: HttpRequest,
  { foreign, isOperator }: ConsoleParts,
  cookies: ConsoleCookies,
): InspectVisitor | HttpReply {
  const refusal = foreign(request);
  if (refusal !== undefined) return refusal;
  if (isOperator(request)) return { by: 'operator' };
  if (headerOf(request, 'origin') === undefined) return UNPROVEN;
  const entry = cookies.read(request);
  if (entry === undefined) return NOT_ENTERED;
  return { by: `console:${entry.name}`, endsAt: entry.endsAt };
}

/**
 * Reads of a page carry no origin: its cookie, which no other site can send, is enough, unless the
 * browser says that a page of somewhere else asks.
 */
function readerOf(
  request: HttpRequest,
  parts: ConsoleParts,
  cookies: ConsoleCookies,
): InspectVisitor | HttpReply {
  const entry = cookies.read(request);
  if (entry === undefined || headerOf(request, 'origin') !== undefined) {
    return visitorOf(request, parts, cookies);
  }
  const refusal = parts.foreign(request);
  if (refusal !== undefined) return refusal;
  const site = headerOf(request, 'sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' && site !== 'none') return FOREIGN;
  return { by: `console:${entry.name}`, endsAt: entry.endsAt };
}

const NOTHING_HOSTED = {
  provider: undefined,
  mayChange: false,
  notice: () => undefined,
};
const NOT_ENTERED = plain(401, 'enter the console first');
const UNPROVEN = plain(401, 'the operator token is needed, or a page of this server');
