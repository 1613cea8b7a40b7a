import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { onTestFinished } from 'vitest';
import { PAYMENT_META, PaymentPayload } from '../../src/domain/payment/payment.ts';

type Json = Record<string, unknown>;

/** What stands between the bridge and its server, and may do harm there. */
export interface ConnectProxy {
  readonly url: string;
  /** Signatures that were presented, in order, repeats included. */
  readonly payments: PaymentPayload[];
  /** Methods of all requests. */
  readonly methods: string[];
  /** Changes a JSON answer before it is handed on. */
  alter: (answer: Json, request: Json) => void;
  /**
   * `cut` closes the connection at once, `swallow` after the server has answered. What is on `hold`
   * goes on at the next `release`.
   */
  fate: (request: Json) => 'pass' | 'cut' | 'swallow' | 'hold';
  release: () => void;
  /** Where requests go. */
  target: string;
  close(): Promise<void>;
}

/** Starts a proxy before an MCP endpoint; it ends with the test. */
export async function connectProxy(target: string): Promise<ConnectProxy> {
  const server = createServer((request, response) => {
    pass(proxy, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const proxy: ConnectProxy = {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    payments: [],
    methods: [],
    alter: () => undefined,
    fate: () => 'pass',
    release: () => undefined,
    target,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  onTestFinished(() => proxy.close());
  return proxy;
}

/** The challenge in a JSON-RPC answer, for tests that tamper with it. */
export function offersIn(answer: Json): Json[] {
  const result = answer['result'] as Json | undefined;
  const content = result?.['structuredContent'] as Json | undefined;
  return (content?.['accepts'] as Json[] | undefined) ?? [];
}

async function pass(
  proxy: ConnectProxy,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await textOf(request);
  const asked = (body === '' ? {} : JSON.parse(body)) as Json;
  note(proxy, asked);
  const fate = proxy.fate(asked);
  if (fate === 'cut') response.destroy();
  if (fate === 'cut') return;
  if (fate === 'hold') {
    await new Promise<void>((resolve) => {
      const { release } = proxy;
      proxy.release = () => {
        release();
        resolve();
      };
    });
  }
  const { host: _host, connection: _way, 'content-length': _size, ...headers } = request.headers;
  const target = new URL(proxy.target);
  target.search = new URL(request.url ?? '/', target).search;
  const answer = await fetch(target, {
    method: request.method ?? 'POST',
    headers: headers as Record<string, string>,
    ...(body === '' ? {} : { body }),
  });
  const head = Object.fromEntries(
    [...answer.headers].filter(
      ([name]) => !/^(content-length|content-encoding|connection|keep-alive|transfer)/.test(name),
    ),
  );
  if (fate === 'swallow') {
    await answer.text();
    response.destroy();
    return;
  }
  response.writeHead(answer.status, head);
  if (answer.headers.get('content-type') !== 'application/json') {
    if (answer.body === null) response.end();
    else
      Readable.fromWeb(answer.body as ReadableStream)
        .on('error', () => response.destroy())
        .pipe(response);
    return;
  }
  const told = JSON.parse(await answer.text()) as Json;
  proxy.alter(told, asked);
  response.end(JSON.stringify(told));
}

function note(proxy: ConnectProxy, asked: Json): void {
  if (typeof asked['method'] === 'string') proxy.methods.push(asked['method']);
  const meta = (asked['params'] as Json | undefined)?.['_meta'] as Json | undefined;
  const payment = meta?.[PAYMENT_META];
  if (payment !== undefined) proxy.payments.push(PaymentPayload.parse(payment));
}

async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
