import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { z } from 'zod';
import { RouteTable } from '../domain/hosting/routes.ts';
import type { RouterState } from './router.ts';
import { Program } from './successor.ts';

/** Most characters of one order: a table of the largest size fits. */
export const ORDER_CHARS_MAX = 16 * 1_024 * 1_024;

/** What the daemon tells a router, one line of JSON each; each is answered by one line. */
export const RouterOrder = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('routes'), table: RouteTable }),
  z.strictObject({ do: z.literal('state') }),
  z.strictObject({ do: z.literal('stop') }),
  /** Hands the port to a router of another build. */
  z.strictObject({ do: z.literal('replace'), ...Program.shape }),
]);
/** See the schema. */
export type RouterOrder = z.infer<typeof RouterOrder>;

/** What is behind the socket. */
export interface ControlParts {
  /** @returns False for a table that is not newer than the one in force. */
  readonly replace: (table: RouteTable) => boolean;
  readonly state: () => RouterState;
  /** Keeps a table for the next start and brings it to a router of before; awaited. */
  readonly keep: (table: RouteTable) => Promise<void>;
  readonly stop: () => void;
  /** Ends in order when the other one has taken over. @returns Why it has not. */
  readonly handOver: (program: Program) => Promise<string | undefined>;
  /** Facts of the process that stand in each answer, such as its id. */
  readonly facts: () => Readonly<Record<string, string | number>>;
}

/** A socket for orders. */
export interface ControlSocket {
  /** Takes no further connection and leaves its place to another; orders at work are answered. */
  release(): void;
  close(): void;
}

/**
 * Listens for the daemon on a local socket that only its user can open. A table is in force when
 * its order is answered.
 */
export async function openControlSocket(path: string, parts: ControlParts): Promise<ControlSocket> {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let last = Promise.resolve();
    takeLines(socket, (line) => {
      // Answers come in the order of the orders.
      last = last.then(async () => {
        const said = await answer(line, parts);
        if (socket.writable) socket.write(`${JSON.stringify(said)}\n`);
      });
    });
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(path, done);
  });
  chmodSync(path, 0o600);
  let isReleased = false;
  return {
    release: () => {
      isReleased = true;
      // Its path goes at once, its connections stay.
      server.close();
    },
    close: () => {
      if (!isReleased) {
        server.close();
        rmSync(path, { force: true });
      }
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

async function answer(line: string, parts: ControlParts): Promise<object> {
  const order = RouterOrder.safeParse(parsed(line));
  if (!order.success) {
    return { ok: false, why: z.prettifyError(order.error).slice(0, 1_000) };
  }
  switch (order.data.do) {
    case 'routes': {
      const { table } = order.data;
      if (!parts.replace(table)) {
        const { version } = parts.state();
        return { ok: false, why: `version ${table.version} is not above ${version}` };
      }
      await parts.keep(table);
      return { ok: true, ...parts.state() };
    }
    case 'state':
      return { ok: true, ...parts.facts(), ...parts.state() };
    case 'stop':
      parts.stop();
      return { ok: true };
    case 'replace': {
      const { do: _, ...program } = order.data;
      const why = await parts.handOver(program);
      return why === undefined ? { ok: true } : { ok: false, why };
    }
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
