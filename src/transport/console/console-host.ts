import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Random } from '../../domain/common/random.ts';
import type { Inspector } from '../../domain/inspect/inspector.ts';
import { Access } from '../front/access.ts';
import { plainRoute } from '../front/front-route.ts';
import { Authority } from '../http/authority.ts';
import type { HttpReply } from '../http/host.ts';
import { NodeHost } from '../http/node/node-host.ts';
import { createProxyResolver } from '../http/proxies.ts';
import { type Console, createConsole } from './console.ts';
import type { EntryCode } from './entry-codes.ts';
import { CONSOLE_PATH } from './page-routes.ts';

/** The only address of a console of its own: other machines cannot reach it. */
const HOST = '127.0.0.1';
const CHARTS_PATH = `${CONSOLE_PATH}charts/`;
const STREAM_WAITING_BYTES_MAX = 1_048_576;
/** How long open replies may take when the console closes, in milliseconds. */
const CLOSE_GRACE_MS = 500;
/** A token never expires: 9999-12-31. */
const NEVER_MS = 253_402_300_799_000;

/** What a console of its own serves. */
export interface ConsoleHostOptions {
  /** The folder of the built page. */
  readonly folder: string;
  readonly inspector: Inspector;
  /** Opens the console, in its link or as a bearer token, as often as needed. */
  readonly token: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Returns a file of the folder of charts by its encoded name. */
  readonly readChart: (name: string) => Promise<HttpReply>;
  /** Receives internal errors. */
  readonly onFault: (error: AppError) => void;
}

/** A console with an HTTP server of its own, for this machine only. */
export interface ConsoleHost {
  /**
   * Starts to serve. Port 0 picks a free one.
   *
   * @returns The link that opens the console, with the token after the `#`.
   * @throws {AppError} `PORT_IN_USE`
   */
  listen(port: number): Promise<string>;
  /** Returns the number of connected consoles. */
  count(): number;
  close(): Promise<void>;
}

/** Creates a console that needs no other part of the server. */
export function createConsoleHost(options: ConsoleHostOptions): ConsoleHost {
  const { clock } = options;
  const authority = new Authority({ bindHost: HOST, allowedHosts: [], allowedOrigins: [] });
  const proxies = createProxyResolver([]);
  const isToken = tokenCheck(options.token);
  const access = new Access(authority, { proxies, isOperatorToken: isToken });
  let origin = '';
  const console = openConsole(options, { access, isToken, origin: () => origin });
  access.protect(console.routes, (request) => console.checkAccess(request));
  const host = new NodeHost({
    routes: console.routes,
    sockets: console.sockets,
    clock,
    checks: [(request) => authority.check(request), (request) => access.check(request)],
    addressOf: proxies.addressOf,
    replyHeaders: (request) => authority.replyHeaders(request),
    streamWaitingBytesMax: STREAM_WAITING_BYTES_MAX,
  });
  return {
    listen: async (port) => {
      const bound = await host.listen(HOST, port);
      authority.startAdmitting(bound);
      origin = `http://${HOST}:${bound}`;
      return console.link().url;
    },
    count: () => console.count(),
    close: () => host.close(CLOSE_GRACE_MS),
  };
}

function openConsole(
  { folder, inspector, token, clock, random, readChart, onFault }: ConsoleHostOptions,
  parts: {
    readonly access: Access;
    readonly isToken: (text: string) => boolean;
    readonly origin: () => string;
  },
): Console {
  const { access, isToken, origin } = parts;
  return createConsole({
    options: { folder, cookieKey: digest(`console cookies ${token}`), onFault },
    inspector,
    clock,
    random,
    isSecure: false,
    baseUrl: origin,
    checkOrigin: (request) => access.checkOrigin(request),
    isOperator: (request) => access.isOperator(request),
    codes: {
      issue: (): EntryCode => ({ code: token, expiresAt: NEVER_MS }),
      redeem: (code) => {
        if (!isToken(code)) throw new AppError('ENTRY_UNKNOWN');
      },
    },
    ownRoutes: () => [
      plainRoute(
        { methods: ['GET'], path: CHARTS_PATH, isPrefix: true, access: 'console' },
        (request) => readChart(request.path.slice(CHARTS_PATH.length)),
      ),
    ],
  });
}

function tokenCheck(token: string): (text: string) => boolean {
  const wanted = digest(token);
  return (text) => timingSafeEqual(digest(text), wanted);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
