import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import pLimit from 'p-limit';
import { z } from 'zod';
import { tryParseJson } from '../domain/common/json.ts';
import { RouteTable } from '../domain/hosting/routes.ts';
import type { RouterState } from './router.ts';
import { RouterProgram } from './successor.ts';

/** Maximum length of one command, in characters; the largest route table fits. */
export const COMMAND_CHARS_MAX = 16 * 1_024 * 1_024;

/** Commands from the daemon to a router, one line of JSON each; each gets one line in response. */
export const RouterCommand = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('routes'), table: RouteTable }),
  z.strictObject({ do: z.literal('state') }),
  z.strictObject({ do: z.literal('stop') }),
  /** Hands over the port to a router of another build. */
  z.strictObject({ do: z.literal('replace'), ...RouterProgram.shape }),
]);
/** A command from the daemon to a router. */
export type RouterCommand = z.infer<typeof RouterCommand>;

/** Handlers behind the control socket. */
export interface ControlHandlers {
  /**
   * Activates a table.
   *
   * @returns `false` if the table is not newer than the active one.
   */
  readonly replace: (table: RouteTable) => boolean;
  readonly state: () => RouterState;
  /** Stores a table for the next start and forwards it to a predecessor; awaited. */
  readonly storeTable: (table: RouteTable) => Promise<void>;
  readonly stop: () => void;
  /**
   * Hands over to another router and exits gracefully once it has taken over.
   *
   * @returns The reason if it has not.
   */
  readonly handOver: (program: RouterProgram) => Promise<string | undefined>;
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
export async function openControlSocket(
  path: string,
  parts: ControlHandlers,
): Promise<ControlSocket> {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // Responses keep the order of the commands.
    const serialize = pLimit(1);
    readLines(socket, (line) => {
      void serialize(async () => {
        const response = await handleCommand(line, parts);
        if (socket.writable) socket.write(`${JSON.stringify(response)}\n`);
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
function readLines(socket: Socket, onLine: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    if (rest.length > COMMAND_CHARS_MAX) socket.destroy();
  });
}

async function handleCommand(line: string, parts: ControlHandlers): Promise<object> {
  const command = RouterCommand.safeParse(tryParseJson(line));
  if (!command.success) {
    return { ok: false, why: z.prettifyError(command.error).slice(0, 1_000) };
  }
  switch (command.data.do) {
    case 'routes': {
      const { table } = command.data;
      if (!parts.replace(table)) {
        const { version } = parts.state();
        return { ok: false, why: `version ${table.version} is not newer than ${version}` };
      }
      await parts.storeTable(table);
      return { ok: true, ...parts.state() };
    }
    case 'state':
      return { ok: true, ...parts.facts(), ...parts.state() };
    case 'stop':
      parts.stop();
      return { ok: true };
    case 'replace': {
      const { do: _, ...program } = command.data;
      const why = await parts.handOver(program);
      return why === undefined ? { ok: true } : { ok: false, why };
    }
  }
}
