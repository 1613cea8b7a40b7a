import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { tryParseJson } from '../../../domain/common/json.ts';
import type { HistoryAnswer, HistoryCall } from './history-handler.ts';

/** The HTTP server for the full history of a local chain. */
export interface HistoryServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Limits for one request and its answer, and for concurrent requests and connections. */
export const HISTORY_LIMITS = {
  requestBytes: 262_144,
  calls: 100,
  answerChars: 33_554_432,
  atOnce: 4,
  connections: 64,
} as const;

const TIMEOUTS_MS = { headers: 5_000, request: 10_000, idle: 5_000 };
/** Blocks DNS rebinding: a page on a host that resolves to this machine gets no answer. */
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;
const Id = z.union([z.string(), z.number(), z.null()]);
const Call = z.object({
  jsonrpc: z.literal('2.0'),
  id: Id,
  method: z.string().max(128),
  params: z.array(z.unknown()).optional(),
});
const Body = z.union([Call, z.array(Call).min(1).max(HISTORY_LIMITS.calls)]);

/** Serves read-only JSON-RPC over HTTP on a free local port. */
export async function startHistoryServer(
  answer: (call: HistoryCall) => Promise<HistoryAnswer>,
): Promise<HistoryServer> {
  let running = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refusal = rejectionStatus(request, running);
    if (refusal !== undefined) return sendResponse(response, refusal, undefined);
    running += 1;
    try {
      const text = await readBody(request);
      if (text === undefined) sendResponse(response, 413, undefined);
      else sendResponse(response, 200, await handleBody(text, answer));
    } catch {
      // The caller has disconnected.
      response.destroy();
    } finally {
      running -= 1;
    }
  };
  const server = createServer((request, response) => void serve(request, response));
  server.headersTimeout = TIMEOUTS_MS.headers;
  server.requestTimeout = TIMEOUTS_MS.request;
  server.keepAliveTimeout = TIMEOUTS_MS.idle;
  server.maxConnections = HISTORY_LIMITS.connections;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The process may exit while a connection is open.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function rejectionStatus(
  { method, headers }: IncomingMessage,
  running: number,
): number | undefined {
  if (!LOCAL_HOST.test(headers.host ?? '')) return 421;
  if (method !== 'POST') return 405;
  return running >= HISTORY_LIMITS.atOnce ? 503 : undefined;
}

/** Returns the request body, or `undefined` if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > HISTORY_LIMITS.requestBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function handleBody(
  text: string,
  answer: (call: HistoryCall) => Promise<HistoryAnswer>,
): Promise<string> {
  const body = Body.safeParse(tryParseJson(text));
  if (!body.success) {
    const message = `Send one JSON-RPC 2.0 call, or an array of 1 to ${HISTORY_LIMITS.calls}.`;
    return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_600, message } });
  }
  let remainingChars = HISTORY_LIMITS.answerChars;
  const one = async ({ id, method, params = [] }: z.infer<typeof Call>) => {
    const reply = JSON.stringify({ jsonrpc: '2.0', id, ...(await answer({ method, params })) });
    remainingChars -= reply.length;
    return remainingChars >= 0 ? reply : tooLongReply(id);
  };
  if (!Array.isArray(body.data)) return one(body.data);
  const replies: string[] = [];
  for (const call of body.data) {
    replies.push(remainingChars >= 0 ? await one(call) : tooLongReply(call.id));
  }
  return `[${replies.join()}]`;
}

function tooLongReply(id: z.infer<typeof Id>): string {
  const message = 'The answer is too long. Narrow the query.';
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_005, message } });
}

function sendResponse(response: ServerResponse, status: number, body: string | undefined): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  if (status !== 200) response.setHeader('connection', 'close');
  response.end(body);
}
