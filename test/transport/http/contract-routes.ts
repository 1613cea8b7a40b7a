import { headerValues } from '../../../src/transport/http/headers.ts';
import type { HttpExchange, HttpRoute, HttpStream } from '../../../src/transport/http/host.ts';

/** What the routes have met. */
export interface Seen {
  streams: HttpStream[];
  closed: number;
  waiting: HttpExchange[];
}

/** Routes that do what the contract of an HTTP engine talks about. */
export function routesOf(seen: Seen): readonly HttpRoute[] {
  return [
    {
      methods: ['GET', 'HEAD', 'POST'],
      path: '/echo',
      bodyBytesMax: 1_000,
      handle: (exchange) => {
        const { method, path, query, remoteAddress, headers } = exchange.request;
        const many = headerValues(exchange.request, 'x-many');
        const body = exchange.body.toString('utf8');
        const facts = { method, path, query, remoteAddress, many, body, count: headers.length / 2 };
        exchange.reply({
          status: 200,
          headers: ['content-type', 'application/json', 'x-own', '1', 'x-own', '2'],
          body: JSON.stringify(facts),
        });
      },
    },
    {
      methods: ['GET'],
      path: '/secret',
      handle: (exchange) => exchange.reply({ status: 200, body: 'secret' }),
    },
    {
      methods: ['GET'],
      path: '/files/',
      isPrefix: true,
      handle: (exchange) => exchange.reply({ status: 200, body: exchange.request.path }),
    },
    {
      methods: ['GET'],
      path: '/files/own/',
      isPrefix: true,
      handle: (exchange) => exchange.reply({ status: 200, body: 'the longer prefix' }),
    },
    {
      methods: ['GET'],
      path: '/ends/',
      isPrefix: true,
      handle: (exchange) => exchange.reply({ status: 200, body: 'any end' }),
    },
    {
      methods: ['POST'],
      path: '/ends/',
      isPrefix: true,
      suffix: '/mine',
      bodyBytesMax: 10,
      tooLarge: { status: 413, body: 'ten at most' },
      handle: (exchange) => exchange.reply({ status: 200, body: 'its own end' }),
    },
    {
      methods: ['GET'],
      path: '/stream',
      handle: (exchange) => {
        const stream = exchange.stream({
          status: 200,
          headers: ['content-type', 'text/event-stream'],
        });
        exchange.listenClose({
          connectionClosed: () => {
            seen.closed += 1;
          },
        });
        if (stream !== undefined) seen.streams.push(stream);
      },
    },
    {
      methods: ['GET'],
      path: '/wait',
      handle: (exchange) => {
        exchange.listenClose({
          connectionClosed: () => {
            seen.closed += 1;
          },
        });
        seen.waiting.push(exchange);
      },
    },
    {
      methods: ['GET'],
      path: '/empty',
      handle: (exchange) => exchange.reply({ status: 204 }),
    },
    {
      methods: ['GET'],
      path: '/throws',
      handle: () => Promise.reject(new Error('the inside of this must not be seen')),
    },
    {
      methods: ['GET'],
      path: '/bytes',
      handle: (exchange) => {
        const bytes = Buffer.from('first');
        exchange.reply({ status: 200, body: bytes });
        bytes.fill('x');
        exchange.reply({ status: 500, body: 'a second answer does nothing' });
      },
    },
  ];
}
