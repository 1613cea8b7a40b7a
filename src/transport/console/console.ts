import type { Clock } from '../../domain/common/clock.ts';
import type { AppError } from '../../domain/common/error.ts';
import type { Random } from '../../domain/common/random.ts';
import type { Inspector } from '../../domain/inspect/inspector.ts';
import { FOREIGN_ORIGIN_REPLY } from '../front/access.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { plainReply } from '../http/admit.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import type { SocketRoute } from '../http/socket.ts';
import type { InspectVisitor } from '../inspect/inspect-client.ts';
import { createInspectSocket } from '../inspect/inspect-socket.ts';
import { INSPECT_LIMITS, type InspectLimits } from '../inspect/limits.ts';
import { ConsoleCookies } from './console-cookies.ts';
import type { ConsoleLink } from './console-link.ts';
import { EntryCodes } from './entry-codes.ts';
import { entryRoutes } from './entry-routes.ts';
import type { ConsoleHosting } from './hosting/hosting-routes.ts';
import { CONSOLE_PATH, pageRoutes } from './page-routes.ts';

/** The operator's settings of the console. */
export interface ConsoleOptions {
  /** The folder of the built page. */
  readonly folder: string;
  /** Derived from the operator token. Signs the cookies. */
  readonly cookieKey: Uint8Array;
  readonly limits?: Partial<InspectLimits>;
  /** Access to hosting. Nothing is hosted when absent. */
  readonly hosting?: ConsoleHosting;
  /** Receives internal errors. */
  readonly onFault?: (error: AppError) => void;
}

/** The dependencies of the console. */
export interface ConsoleDeps {
  readonly options: ConsoleOptions;
  /** Without an inspector, consoles see nothing. */
  readonly inspector: Inspector | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly isSecure: boolean;
  /** The base URL, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Returns the rejection of a forged or foreign origin, for `/inspect`. */
  readonly checkOrigin: (request: HttpRequest) => HttpReply | undefined;
  readonly isOperator: (request: HttpRequest) => boolean;
  /** Codes that open the console. Default: single-use codes. */
  readonly codes?: Pick<EntryCodes, 'issue' | 'redeem'>;
  /** Creates the routes that only some consoles have. */
  readonly ownRoutes?: (visitorOf: VisitorOf) => readonly FrontRoute[];
}

/** Returns who sends a request, or its rejection. */
export type VisitorOf = (request: HttpRequest) => InspectVisitor | HttpReply;

/** The console of a front. */
export interface Console {
  readonly routes: readonly FrontRoute[];
  readonly sockets: readonly SocketRoute[];
  /**
   * Returns the rejection of a request that comes from neither a signed-in page nor the operator.
   */
  checkAccess(request: HttpRequest): HttpReply | undefined;
  /** Creates a single-use link that opens the console. */
  link(): ConsoleLink;
  /** Returns the number of connected consoles. */
  count(): number;
}

/** Creates the console: its page, sign-in and socket. */
export function createConsole(parts: ConsoleDeps): Console {
  const { options, inspector, clock, random, isSecure, baseUrl } = parts;
  const codes = parts.codes ?? new EntryCodes(clock, random);
  const cookies = new ConsoleCookies({ key: options.cookieKey, clock, random, isSecure });
  const link = (): ConsoleLink => {
    const { code, expiresAt } = codes.issue();
    // In the fragment, which browsers never send to a server.
    return { url: `${baseUrl()}${CONSOLE_PATH}#enter=${code}`, expiresAt };
  };
  const limits = { ...INSPECT_LIMITS, ...options.limits };
  const socket =
    inspector === undefined
      ? undefined
      : createInspectSocket({ inspector, clock, limits, ...errorListener(options) }, (request) =>
          authenticate(request, parts, cookies),
        );
  const authenticateRequest: VisitorOf = (request) =>
    request.method === 'POST'
      ? authenticate(request, parts, cookies)
      : authenticateRead(request, parts, cookies);
  return {
    routes: [
      ...entryRoutes({ codes, cookies, clock, link }),
      ...(parts.ownRoutes?.(authenticateRequest) ?? []),
      ...pageRoutes(options.folder),
    ],
    sockets: socket === undefined ? [] : [socket.route],
    checkAccess: (request) => {
      const asker = authenticateRequest(request);
      return 'status' in asker ? asker : undefined;
    },
    link,
    count: () => socket?.count() ?? 0,
  };
}

function errorListener({ onFault }: ConsoleOptions): Pick<ConsoleOptions, 'onFault'> {
  return onFault === undefined ? {} : { onFault };
}

/**
 * Pages need the server's origin and the cookie. Programs send no origin and need the operator
 * token.
 */
function authenticate(
  request: HttpRequest,
  { checkOrigin, isOperator }: ConsoleDeps,
  cookies: ConsoleCookies,
): InspectVisitor | HttpReply {
  const refusal = checkOrigin(request);
  if (refusal !== undefined) return refusal;
  if (isOperator(request)) return { by: 'operator' };
  if (headerOf(request, 'origin') === undefined) return CREDENTIALS_REQUIRED;
  const entry = cookies.read(request);
  if (entry === undefined) return NOT_SIGNED_IN;
  return { by: `console:${entry.name}`, endsAt: entry.endsAt };
}

/**
 * Authenticates a read. Page reads carry no origin. The cookie suffices, as no other site can send
 * it, unless the browser reports a cross-site request.
 */
function authenticateRead(
  request: HttpRequest,
  parts: ConsoleDeps,
  cookies: ConsoleCookies,
): InspectVisitor | HttpReply {
  const entry = cookies.read(request);
  if (entry === undefined || headerOf(request, 'origin') !== undefined) {
    return authenticate(request, parts, cookies);
  }
  const refusal = parts.checkOrigin(request);
  if (refusal !== undefined) return refusal;
  const site = headerOf(request, 'sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin' && site !== 'none') return FOREIGN_ORIGIN_REPLY;
  return { by: `console:${entry.name}`, endsAt: entry.endsAt };
}

const NOT_SIGNED_IN = plainReply(401, 'sign in to the console first');
const CREDENTIALS_REQUIRED = plainReply(401, 'operator token or a page of this server required');
