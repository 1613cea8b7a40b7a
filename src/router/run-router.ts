import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../domain/error.ts';
import { RouteTable } from '../domain/hosting/routes.ts';
import { openControlSocket } from './control-socket.ts';
import { RequestSpool } from './request-spool.ts';
import { openRouter } from './router.ts';
import { socketPath } from './socket-path.ts';

/** Names in the folder of a router. */
export const ROUTER_FILES = {
  /** The table in force, which outlives the process. */
  routes: 'routes.json',
  control: 'router.sock',
  /** Folder of the rows of answered requests. */
  spool: 'spool',
  /** Which start of the machine the table is of. */
  boot: 'boot',
} as const;

/** Where the kernel names its start. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** How long requests at work may take after the router was told to end, in milliseconds. */
export const ROUTER_GRACE_MS = 30_000;

/** Time between two looks whether its folder is still there, in milliseconds. */
const FOLDER_LOOK_MS = 1_000;

/** Where a router runs. */
export interface RouterPlace {
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
}

/** A router that runs as a process of its own. */
export interface RunningRouter {
  readonly port: number;
  readonly pid: number;
  /** Ends it in order; again: the same end. */
  stop(): Promise<void>;
  /** When it has ended, also by an order over its socket. */
  readonly ended: Promise<void>;
}

/**
 * Runs the router of a folder: with the table that was in force last, a socket for orders, and a
 * spool of what was answered.
 *
 * @throws {AppError} `CONFIG_INVALID` for a table that is none, or an address that is taken.
 */
export async function runRouter({ folder, host, port, now }: RouterPlace): Promise<RunningRouter> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, ROUTER_FILES.routes);
  const spool = new RequestSpool(join(folder, ROUTER_FILES.spool), now());
  const router = await openRouter({
    ...{ host, port, now },
    table: inForce(folder, readTable(file)),
    onRequest: (row) => spool.add(row),
  });
  let ending: Promise<void> | undefined;
  let tellEnd = (): void => {};
  const ended = new Promise<void>((done) => {
    tellEnd = done;
  });
  const stop = (): Promise<void> => {
    ending ??= end();
    return ending;
  };
  const path = socketPath(folder, ROUTER_FILES.control);
  const control = await openControlSocket(path, {
    router,
    keep: (table) => keepTable(file, table),
    // Its answer goes out first.
    stop: () => void setImmediate(() => void stop()),
    facts: () => ({ pid: process.pid, host, port: router.port, dropped: spool.dropped }),
  });
  // Nobody can reach a router whose folder is gone: it must not stay behind.
  const look = setInterval(() => {
    if (!existsSync(folder)) void stop();
  }, FOLDER_LOOK_MS);
  const end = async (): Promise<void> => {
    clearInterval(look);
    control.close();
    await router.close(ROUTER_GRACE_MS);
    if (existsSync(folder)) await spool.flush();
    tellEnd();
  };
  return { port: router.port, pid: process.pid, stop, ended };
}

function readTable(file: string): RouteTable {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { version: 0, routes: [] };
  }
  const table = RouteTable.safeParse(parsed(text));
  if (table.success) return table.data;
  throw new AppError('CONFIG_INVALID', {
    message: 'The table of routes cannot be read.',
    data: { received: file, why: z.prettifyError(table.error).slice(0, 1_000) },
  });
}

/** After a restart of the machine no instance is where it was: the daemon says where they are. */
function inForce(folder: string, table: RouteTable): RouteTable {
  const file = join(folder, ROUTER_FILES.boot);
  const now = existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : '';
  const before = existsSync(file) ? readFileSync(file, 'utf8') : now;
  writeFileSync(file, now, { mode: 0o600 });
  if (before === now) return table;
  return { ...table, routes: table.routes.filter(({ to }) => to.kind !== 'instances') };
}

/** The old table stands until the new one is whole. */
function keepTable(file: string, table: RouteTable): void {
  const next = `${file}.next`;
  writeFileSync(next, JSON.stringify(table), { mode: 0o600, flush: true });
  renameSync(next, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
