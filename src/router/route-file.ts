import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../domain/common/error.ts';
import { tryParseJson } from '../domain/common/json.ts';
import { RouteTable } from '../domain/hosting/routes.ts';
import { ROUTER_FILES } from './router-files.ts';

/** File with the kernel's boot id. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/**
 * Reads the active table of a folder.
 *
 * @throws {AppError} `CONFIG_INVALID` if the table cannot be read.
 */
export function readActiveTable(folder: string): RouteTable {
  return dropStaleRoutes(folder, readTable(join(folder, ROUTER_FILES.routes)));
}

/** Stores a table for the next start; the old one is replaced atomically. */
export function storeTable(folder: string, table: RouteTable): void {
  const file = join(folder, ROUTER_FILES.routes);
  const next = `${file}.next`;
  writeFileSync(next, JSON.stringify(table), { mode: 0o600, flush: true });
  renameSync(next, file);
}

function readTable(file: string): RouteTable {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return { version: 0, routes: [] };
  }
  const table = RouteTable.safeParse(tryParseJson(text));
  if (table.success) return table.data;
  throw new AppError('CONFIG_INVALID', {
    message: 'The route table cannot be read.',
    data: { received: file, why: z.prettifyError(table.error).slice(0, 1_000) },
  });
}

/**
 * After a reboot the instances have moved, so their routes are dropped until the daemon sends new
 * ones.
 */
function dropStaleRoutes(folder: string, table: RouteTable): RouteTable {
  const file = join(folder, ROUTER_FILES.boot);
  const now = existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : '';
  const before = existsSync(file) ? readFileSync(file, 'utf8') : now;
  writeFileSync(file, now, { mode: 0o600 });
  if (before === now) return table;
  return { ...table, routes: table.routes.filter(({ to }) => to.kind !== 'instances') };
}
