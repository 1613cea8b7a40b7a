import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import { headerOf } from '../../../src/transport/http/headers.ts';
import type { HttpEngine, HttpHost } from '../../../src/transport/http/host.ts';
import type { HostOptions } from '../../../src/transport/http/host-options.ts';
import type { HostSocket } from '../../../src/transport/http/socket.ts';
import { realClock } from '../../support/real-clock.ts';

/** Bound of a message in these tests. */
export const MESSAGE_BYTES_MAX = 1_000;
/** Bound of what waits in these tests. */
export const WAITING_BYTES_MAX = 200_000;

/** What a claim about sockets is tried on. */
export interface SocketWorld {
  readonly engine: HttpEngine;
  readonly host: HttpHost;
  readonly port: number;
  readonly url: string;
  readonly base: string;
  /** Sockets that were opened, in order. */
  readonly opened: HostSocket[];
  readonly closed: HostSocket[];
  readonly drained: HostSocket[];
  /** Requests to `/wait`, which are never answered, that have come in. */
  readonly waiting: string[];
}

/** Starts an engine that echoes texts at `/socket`. */
export async function startSockets(
  engine: HttpEngine,
  overrides: Partial<HostOptions> = {},
): Promise<SocketWorld> {
  const seen = {
    opened: [] as HostSocket[],
    closed: [] as HostSocket[],
    drained: [] as HostSocket[],
    waiting: [] as string[],
  };
  const host = chooseHost(engine, '127.0.0.1', {
    clock: realClock,
    routes: [
      {
        methods: ['GET', 'POST'],
        path: '/echo',
        bodyBytesMax: 1_000,
        handle: (exchange) =>
          exchange.reply({ status: 200, body: `got ${exchange.body.toString('utf8')}` }),
      },
      {
        methods: ['GET'],
        path: '/wait',
        handle: ({ request }) => void seen.waiting.push(request.path),
      },
    ],
    streamWaitingBytesMax: 1_000,
    checks: [({ query }) => (query === 'guarded' ? { status: 403, body: 'no' } : undefined)],
    replyHeaders: () => ['x-every', 'answer'],
    sockets: [
      {
        path: '/socket',
        messageBytesMax: MESSAGE_BYTES_MAX,
        waitingBytesMax: WAITING_BYTES_MAX,
        accept: (request) => {
          if (headerOf(request, 'x-unwanted') !== undefined) {
            return { kind: 'reply', reply: { status: 401, body: 'who are you' } };
          }
          return {
            kind: 'open',
            open: (socket) => {
              seen.opened.push(socket);
              socket.send(`hello ${request.query} ${request.remoteAddress}`);
              return {
                message: (text) => {
                  if (text === 'throw') throw new Error('the inside of this must not be seen');
                  if (text === 'close') socket.close(4_000, 'as you wish');
                  else socket.send(`echo ${text}`);
                },
                drained: () => seen.drained.push(socket),
                closed: () => seen.closed.push(socket),
              };
            },
          };
        },
      },
    ],
    ...overrides,
  });
  const port = await host.listen('127.0.0.1', 0);
  return {
    engine,
    host,
    port,
    url: `ws://127.0.0.1:${port}/socket`,
    base: `http://127.0.0.1:${port}`,
    ...seen,
  };
}
