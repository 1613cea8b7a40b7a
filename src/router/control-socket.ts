import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { z } from 'zod';
import { RouteTable } from '../domain/hosting/routes.ts';
import type { Router } from './router.ts';

/** Most characters of one order: a table of the largest size fits. */
export const ORDER_CHARS_MAX = 16 * 1_024 * 1_024;

/** What the daemon tells a router, one line of JSON each; each is answered by one line. */
export const RouterOrder = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('routes'), table: RouteTable }),
  z.strictObject({ do: z.literal('state') }),
  z.strictObject({ do: z.literal('stop') }),
]);
/** See the schema. */
export type RouterOrder = z.infer<typeof RouterOrder>;

/** What is behind the socket. */
export interface ControlParts {
  readonly router: Router;
  /** Keeps a table for the next start, before it is answered. */
  readonly keep: (table: RouteTable) => void;
  readonly stop: () => void;
  /** Facts of the process that stand in each answer, such as its id. */
  readonly facts: () => Readonly<Record<string, string | number>>;
}

/**
 * Listens for the daemon on a local socket that only its user can open. A table is in force when
 * its
 * order is answered.
 */
export async function openControlSocket(
  path: string,
  parts: ControlParts,
): Promise<{ close(): void }> {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    takeLines(socket, (line) => socket.write(`${JSON.stringify(answer(line, parts))}\n`));
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(path, done);
  });
  chmodSync(path, 0o600);
  return {
    close: () => {
      server.close();
      rmSync(path, { force: true });
      for (const socket of sockets) socket.end();
    },
  };
}

/** Cuts what comes into lines, and ends a sender whose line does not end. */
function takeLines(socket: Socket, take: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
    if (rest.length > ORDER_CHARS_MAX) socket.destroy();
  });
}

function answer(line: string, parts: ControlParts): object {
  const order = RouterOrder.safeParse(parsed(line));
  if (!order.success) {
    return { ok: false, why: z.prettifyError(order.error).slice(0, 1_000) };
  }
  const { router, facts } = parts;
  switch (order.data.do) {
    case 'routes': {
      const { table } = order.data;
      if (!router.replace(table)) {
        const { version } = router.state();
        return { ok: false, why: `version ${table.version} is not above ${version}` };
      }
      parts.keep(table);
      return { ok: true, ...router.state() };
    }
    case 'state':
      return { ok: true, ...facts(), ...router.state() };
    case 'stop':
      parts.stop();
      return { ok: true };
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
