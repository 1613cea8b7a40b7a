import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { PROGRAMS } from '../support/hosting/local-world.ts';
import { asOwner } from '../support/hosting/owner.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = join(import.meta.dirname, '../support/programs/hosting-daemon.mjs');
const BEGUN = 'select pg_postmaster_start_time()::text as at';

/** What a daemon says of its database. */
interface Said {
  readonly id: string;
  readonly external: string;
}

test('a Postgres outlives a daemon that is killed, and the next one adopts it', {
  timeout: 600_000,
}, async () => {
  const dir = tempDir();
  // Users of their own go through the folder to what is theirs.
  chmodSync(dir.path, 0o755);
  const dist = await built();
  const lives: ChildProcess[] = [];
  let isRemoved = false;
  const live = async (...then: readonly string[]) => {
    const args = [PROGRAM, dist, dir.path, PROGRAMS, ...then];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    lives.push(child);
    const [line] = await Promise.race([
      once(createInterface(child.stdout), 'line'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`the daemon ended with ${code} before it had a database`);
      }),
    ]);
    return { child, said: JSON.parse(line) as Said };
  };
  try {
    const first = await live();
    await asOwner(first.said.external, 'create table kept as select 42 as n');
    const { rows: begun } = await asOwner(first.said.external, BEGUN);
    await killed(first.child);
    expect((await asOwner(first.said.external, 'select n from kept')).rows).toEqual([{ n: 42 }]);
    const second = await live();
    expect(second.said).toEqual(first.said);
    expect((await asOwner(second.said.external, BEGUN)).rows).toEqual(begun);
    await killed(second.child);
    const { child, said } = await live('remove');
    await ended(child);
    isRemoved = true;
    await expect(asOwner(said.external, 'select 1')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  } finally {
    for (const child of lives) child.kill('SIGKILL');
    // What a failed test began does not go on behind it.
    if (!isRemoved) await ended((await live('remove')).child);
    dir.remove();
  }
});

/** A daemon that has ended before its time is a fault of the test. */
async function killed(child: ChildProcess): Promise<void> {
  expect(child.exitCode).toBeNull();
  child.kill('SIGKILL');
  await ended(child);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
