import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { errorBody, toAppError } from '../../domain/common/error.ts';
import type { ToolServer } from '../../domain/tool/tool.ts';
import type { DataLock } from '../server/data-lock.ts';
import type { OperatorToken } from '../server/token-file.ts';

const Greeting = z.object({
  token: z.string(),
  server: z.enum(['commerce', 'hosting']),
  toolsets: z.array(z.string()).optional(),
  readOnly: z.boolean().optional(),
  search: z.boolean().optional(),
  passportId: z.string().optional(),
});
type Greeting = z.infer<typeof Greeting>;
/** The daemon's first line to an accepted local client. */
export const GREETING_ACCEPTED = '{"ok":true}';
/** Time limit for a client's greeting, in milliseconds. */
const GREETING_TIMEOUT_MS = 5_000;
const GREETING_BYTES_MAX = 1_024;

/** A local client's request for a server and a selection of its tools. */
export interface LocalClientRequest {
  readonly server: ToolServer;
  readonly toolsets?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  /** Lists three tools, which find, describe and call the others. */
  readonly search?: boolean | undefined;
  /** The passport that the server must use. Any when absent. */
  readonly passportId?: string | undefined;
}

/**
 * Prepares to serve one local client, or throws an `AppError` that the client receives. The
 * returned function serves it over a pair of streams, and resolves when the client has left.
 */
export type ServeLocal = (
  wish: LocalClientRequest,
) => (streams: { readonly input: PassThrough; readonly output: Socket }) => Promise<void>;

/**
 * Serves local clients on the socket of the data directory. A client greets with one line that
 * contains the operator token and the requested tool server. MCP over stdio follows.
 *
 * @returns The client count, and a way to listen for the last client leaving.
 */
export function serveLocalClients(
  lock: DataLock,
  token: OperatorToken,
  serve: ServeLocal,
): { count(): number; onLastGone(listener: () => void): void } {
  let clients = 0;
  let onLastLeft: () => void = () => undefined;
  lock.onClient((socket) => {
    socket.on('error', () => socket.destroy());
    awaitGreeting(socket, token, (wish, first) => {
      const serveClient = prepareClient(serve, wish, socket);
      if (serveClient === undefined) return;
      clients += 1;
      socket.on('close', () => {
        clients -= 1;
        if (clients === 0) onLastLeft();
      });
      const input = new PassThrough();
      socket.write(`${GREETING_ACCEPTED}\n`);
      input.write(first);
      socket.pipe(input);
      serveClient({ input, output: socket })
        .catch(() => undefined)
        .finally(() => socket.end());
    });
  });
  return {
    count: () => clients,
    onLastGone: (listener) => {
      onLastLeft = listener;
    },
  };
}

function prepareClient(serve: ServeLocal, wish: LocalClientRequest, socket: Socket) {
  try {
    return serve(wish);
  } catch (thrown) {
    const { error, message } = errorBody(toAppError(thrown));
    socket.end(`${JSON.stringify({ ok: false, error, message })}\n`);
    return undefined;
  }
}

function awaitGreeting(
  socket: Socket,
  token: OperatorToken,
  accept: (wish: LocalClientRequest, first: Buffer) => void,
): void {
  let seen = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), GREETING_TIMEOUT_MS);
  const onData = (chunk: Buffer): void => {
    seen = Buffer.concat([seen, chunk]);
    const end = seen.indexOf(10);
    if (end < 0 && seen.length <= GREETING_BYTES_MAX) return;
    clearTimeout(timer);
    socket.off('data', onData);
    const greeting = readGreeting(seen.subarray(0, Math.max(0, end)).toString('utf8'));
    if (greeting === undefined || !token.isValid(greeting.token)) {
      socket.end('{"ok":false,"error":"UNAUTHORIZED"}\n');
      return;
    }
    accept(greeting, seen.subarray(end + 1));
  };
  socket.on('data', onData);
  socket.once('close', () => clearTimeout(timer));
}

function readGreeting(line: string): Greeting | undefined {
  try {
    return Greeting.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
