import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type QueryResult } from 'pg';
import type { LocalWorld } from './local-world.ts';

/** Runs statements at an address of a database, as the user in it. */
export async function asOwner(address: string, sql: string): Promise<QueryResult> {
  const client = new Client({ connectionString: address, connectionTimeoutMillis: 30_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query(sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Names of the runs of a database's server. */
export function runsOf({ folder }: LocalWorld, id: string): readonly string[] {
  const runs = readdirSync(join(folder, 'hosting', 'local', 'runs'));
  return runs.filter((name) => name.startsWith(`pg-run-${id}-`)).sort();
}

/** All that a database's server has printed. */
export function logOf(world: LocalWorld, id: string): string {
  const runs = join(world.folder, 'hosting', 'local', 'runs');
  return runsOf(world, id)
    .map((name) => readFileSync(join(runs, name, 'log'), 'utf8'))
    .join('');
}

/** The process of a database's server. */
export function pidOf(world: LocalWorld, id: string): number {
  const name = runsOf(world, id).at(-1) ?? '';
  const file = join(world.folder, 'hosting', 'local', 'runs', name, 'pid');
  return Number(readFileSync(file, 'utf8'));
}
