import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { EngineError } from '../../src/runtime/engine/error.ts';
import type { SyncEngineStore } from '../../src/runtime/engine/ports.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { built } from '../support/built.ts';
import { canTrace, inject } from '../support/disk/trace.ts';
import { DyingWorld } from '../support/dying-world.ts';
import { expectPromised } from '../support/flip-rows.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Attempt, search, searchMs } from './search.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/disk-faults.mjs', import.meta.url));
const LIMIT_MS = searchMs() + 120_000;
/** Of so many attempts one is a process of its own on a disk that fails; it takes seconds. */
const REAL_EVERY = 12;
const REFUSALS = ['STORE_FAILED', 'STORE_FULL'];

test('whatever a disk refuses and whenever a process dies, promises are kept and killers end', {
  timeout: LIMIT_MS,
}, async () => {
  const play = (attempt: Attempt) =>
    attempt.round % REAL_EVERY === 1 ? writeOnBrokenDisk(attempt) : liveAndDie(attempt);
  await search('disk', play, { roundsMin: 8 });
});

/**
 * Effects that kill their process, beside others, while commits are lost or refused: a killer runs
 * to the death three times and ends as a dead letter; what was acknowledged is there.
 */
async function liveAndDie(attempt: Attempt): Promise<void> {
  const world = new DyingWorld(attempt);
  try {
    await world.live();
    await world.settle();
    await world.expectKept();
    await world.expectKillersEnded();
  } finally {
    await world.end();
  }
}

/** A real process on a disk that fails at any call, and that is killed at any moment. */
async function writeOnBrokenDisk(attempt: Attempt): Promise<void> {
  const dir = tempDir();
  try {
    const path = join(dir.path, 'store');
    const promises = join(dir.path, 'promises');
    await openEngineStore({ path, reserveBytes: 0 }).close();
    const program = [process.execPath, PROGRAM, await built(), path, promises, '0'];
    const answer = await runUntil(broken(attempt, program), attempt.integer(800, 4_000));
    for (const code of answer?.refused ?? []) expect(REFUSALS).toContain(code);
    expect(answer?.thrown ?? 'STORE_FAILED').toBe('STORE_FAILED');
    await expectPromisesKept(path, promises);
  } finally {
    dir.remove();
  }
}

/** The command under which calls of the system fail as the attempt says. */
function broken(attempt: Attempt, program: readonly string[]): readonly string[] {
  const limitKb = attempt.integer(256, 8_192);
  const shell = ['-c', `trap "" XFSZ; ulimit -f ${limitKb}; exec "$@"`, 'sh'];
  if (!canTrace() || attempt.random() < 0.2) return ['sh', ...shell, ...program];
  const faults = Array.from({ length: attempt.integer(1, 2) }, () => faultOf(attempt));
  return inject(
    [...new Map(faults.map((fault) => [fault.split(':')[0], fault])).values()],
    program,
  );
}

function faultOf(attempt: Attempt): string {
  const call = attempt.pick(['fdatasync', 'pwrite64', 'writev']);
  const when = `${attempt.integer(1, 8 + 4 * attempt.size)}${attempt.pick(['', '+'])}`;
  const error = `error=${attempt.pick(['EIO', 'ENOSPC', 'EDQUOT', 'EROFS'])}`;
  const isShort = call !== 'fdatasync' && attempt.random() < 0.3;
  return `${call}:${isShort ? `retval=${512 * attempt.integer(0, 7)}` : error}:when=${when}`;
}

interface Answer {
  readonly refused?: readonly string[];
  readonly thrown?: string;
}

/** What the program says at its end; nothing where it was killed, or LMDB ended it. */
function runUntil(
  [file = '', ...args]: readonly string[],
  ms: number,
): Promise<Answer | undefined> {
  return new Promise((done) => {
    const options = { timeout: ms, killSignal: 'SIGKILL' } as const;
    execFile(file, args, options, (_fault, stdout) => {
      done(stdout.endsWith('\n') ? (JSON.parse(stdout) as Answer) : undefined);
    });
  });
}

/** strace is killed before the program that it runs, which still has the store open then. */
async function openAfterDeath(path: string): Promise<SyncEngineStore> {
  try {
    return openEngineStore({ path, reserveBytes: 0 });
  } catch (thrown) {
    const { code, data } = thrown as EngineError;
    const pid = Number(data['pid']);
    if (code !== 'STORE_BUSY' || pid === process.pid) throw thrown;
    process.kill(pid, 'SIGKILL');
    await sleep(200);
    return openEngineStore({ path, reserveBytes: 0 });
  }
}

/** The next process opens the store, finds everything that was acknowledged, and goes on. */
async function expectPromisesKept(path: string, promises: string): Promise<void> {
  const promised = new Map<string, Map<number, string>>();
  const text = existsSync(promises) ? readFileSync(promises, 'utf8') : '';
  for (const line of text.split('\n').slice(0, -1)) {
    const [id = '', seq = '', mark = ''] = line.split(' ');
    promised.set(id, (promised.get(id) ?? new Map()).set(Number(seq), mark));
  }
  const store = await openAfterDeath(path);
  try {
    expectPromised(store, promised);
    await store.commit([]);
  } finally {
    await store.close();
  }
}
