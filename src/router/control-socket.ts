import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { z } from 'zod';
import { RouteTable } from '../domain/hosting/routes.ts';
import type { RouterState } from './router.ts';
import { Program } from './successor.ts';

/** Maximum length of one command, in characters; the largest route table fits. */
export const ORDER_CHARS_MAX = 16 * 1_024 * 1_024;

/** Commands from the daemon to a router, one line of JSON each; each gets one line in response. */
export const RouterOrder = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('routes'), table: RouteTable }),
  z.strictObject({ do: z.literal('state') }),
  z.strictObject({ do: z.literal('stop') }),
  /** Hands over the port to a router of another build. */
  z.strictObject({ do: z.literal('replace'), ...Program.shape }),
]);
/** A command from the daemon to a router. */
export type RouterOrder = z.infer<typeof RouterOrder>;

/** Handlers behind the control socket. */
export interface ControlParts {
  /**
   * Activates a table.
   *
   * @returns `false` if the table is not newer than the active one.
   */
  readonly replace: (table: RouteTable) => boolean;
  readonly state: () => RouterState;
  /** Stores a table for the next start and forwards it to a predecessor; awaited. */
  readonly keep: (table: RouteTable) => Promise<void>;
  readonly stop: () => void;
  /**
   * Hands over to another router and exits gracefully once it has taken over.
   *
   * @returns The reason if it has not.
   */
  readonly handOver: (program: Program) => Promise<string | undefined>;
  /** Facts of the process included in each status response, such as its id. */
  readonly facts: () => Readonly<Record<string, string | number>>;
}

/** A socket for commands. */
export interface ControlSocket {
  /** Accepts no further connections and frees the path; pending commands are still answered. */
  release(): void;
  close(): void;
}

/**
 * Listens for the daemon on a local socket that only its user can open. A table is active once its
 * command is answered.
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
      // Responses keep the order of the commands.
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
      // The path is freed immediately, its connections stay.
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

/** Splits the input into lines, and disconnects a sender whose line never ends. */
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
        return { ok: false, why: `version ${table.version} is not newer than ${version}` };
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
