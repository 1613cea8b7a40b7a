import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { built } from '../support/built.ts';
import { canTrace, inject } from '../support/disk/trace.ts';
import { expectPromised } from '../support/flip-rows.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/disk-faults.mjs', import.meta.url));
const HANG_MS = 120_000;
const MIB = 1024 * 1024;
const MOUNT = 'mount';
const UNMOUNT = 'umount';
/** The calls of an opening are its own; the faults come while the writers are at work. */
const LATER = 30;
/** Syncs come less often than writes. */
const LATER_SYNC = 8;
let dir: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

interface Answer {
  readonly refused: readonly string[];
  readonly fatal: readonly string[];
  readonly events: number;
  readonly later: string;
  readonly listed: number;
  readonly viewed: number;
  readonly journaled: number;
  readonly after?: string;
}

// `npm test` names what a machine without strace does not run, and fails there in CI.
const traced = test.skipIf(!canTrace());

traced.each([
  ['one sync fails', 'STORE_FAILED', `fdatasync:error=EIO:when=${LATER_SYNC}`],
  ['every sync fails', 'STORE_FAILED', `fdatasync:error=EIO:when=${LATER_SYNC}+`],
  ['a write fails', 'STORE_FAILED', `pwrite64:error=EIO:when=${LATER}`],
  ['the next write fails', 'STORE_FAILED', `pwrite64:error=EIO:when=${LATER + 1}`],
  ['the write after that fails', 'STORE_FAILED', `pwrite64:error=EIO:when=${LATER + 2}`],
  ['a write is cut short', 'STORE_FAILED', `writev:retval=512:when=${LATER}`],
])(
  'when %s, acknowledgements stop, reads go on, and nothing is lost',
  async (_, code, fault) => {
    const answer = await run((command) => inject([fault], command)).catch(ignoreHeapCorruption);
    if (answer !== undefined)
      expect(answer).toEqual({
        refused: [code],
        fatal: [code],
        events: expect.any(Number),
        later: code,
        listed: 32,
        viewed: 32,
        journaled: 96,
      });
    await expectKept(answer);
  },
  HANG_MS,
);

traced(
  'when a disk takes no more pages, nothing is acknowledged and nothing is lost',
  async () => {
    // LMDB may end the process here: callers lose their connection then, and nobody is told a lie.
    const fault = `pwrite64,writev:error=ENOSPC:when=${LATER}+`;
    const answer = await run((command) => inject([fault], command)).catch(() => undefined);
    expect(answer?.refused ?? ['STORE_FULL']).toEqual(['STORE_FULL']);
    await expectKept(answer);
  },
  HANG_MS,
);

test(
  'a file that may not grow stops acknowledgements, and nothing is lost',
  async () => {
    const limited = ['-c', 'trap "" XFSZ; ulimit -f 4096; exec "$@"', 'sh'];
    const answer = await run((command) => ['sh', ...limited, ...command]).catch(() => undefined);
    // The system either refuses a write or cuts it short.
    expect(['STORE_FULL', 'STORE_FAILED']).toContain(answer?.refused[0] ?? 'STORE_FULL');
    await expectKept(answer);
  },
  HANG_MS,
);

// Where nothing can be mounted, test/store/common/disk-space.test.ts says it of a file system that is made up.
test.each(canMount() ? ['tmpfs'] : [])(
  'a small file system (%s) that fills up refuses new work, reads go on, and it recovers',
  async () => {
    const disk = join(dir.path, 'disk');
    mkdirSync(disk);
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk]);
    try {
      const filler = join(disk, 'filler');
      writeFileSync(filler, Buffer.alloc(20 * MIB));
      const answer = await run((command) => [...command, filler], { disk, reserveBytes: 8 * MIB });
      expect(answer).toMatchObject({
        refused: ['STORE_FULL'],
        fatal: [],
        later: 'STORE_FULL',
        listed: 32,
        viewed: 32,
        journaled: 96,
        after: 'active',
      });
      await expectKept(answer, disk);
    } finally {
      execFileSync(UNMOUNT, [disk]);
    }
  },
  HANG_MS,
);

test('the address space of a file grows past its first size', async () => {
  const path = join(dir.path, 'store');
  const store = openEngineStore({ path, mapSizeBytes: 128 * 1024 });
  const long = 'x'.repeat(MIB);
  for (let seq = 1; seq <= 8; seq += 1) {
    const cause = { by: 'outside' } as const;
    const event = { type: 'A', long };
    const row = { deadLetterId: String(seq), actorId: 'a', at: seq, event, cause, reason: '' };
    await store.commit([{ put: 'dead', row }]);
  }
  expect(store.deadLetters(undefined, 10).rows).toHaveLength(8);
  await store.close();
});

async function run(
  wrap: (command: readonly string[]) => readonly string[],
  { disk = dir.path, reserveBytes = 0 } = {},
): Promise<Answer> {
  const store = join(disk, 'store');
  const promises = join(dir.path, 'promises');
  // Made before: every call of a thread counts, and the writers shall meet the fault.
  await openEngineStore({ path: store, reserveBytes: 0 }).close();
  const program = [process.execPath, PROGRAM, await built(), store, promises, String(reserveBytes)];
  const [file = '', ...args] = wrap(program);
  const { stdout } = await promisify(execFile)(file, args, { timeout: HANG_MS / 2 });
  return JSON.parse(stdout) as Answer;
}

/**
 * LMDB 3.5.6 writes the message of a failed write past its own buffer, so the process can end with
 * a corrupted heap: callers lose their connection then, and nothing false is acknowledged.
 */
function ignoreHeapCorruption(thrown: unknown): undefined {
  expect(String(thrown)).toMatch(
    /Write error: [\s\S]*(corrupted|malloc|free\(\)|invalid next size)/,
  );
}

/** A new process finds everything that was acknowledged, and goes on. */
async function expectKept(answer: Answer | undefined, disk = dir.path): Promise<void> {
  const promised = new Map<string, Map<number, string>>();
  const lines = readFileSync(join(dir.path, 'promises'), 'utf8').split('\n').slice(0, -1);
  expect(lines.length).toBeGreaterThanOrEqual(answer?.events ?? 1);
  for (const line of lines) {
    const [id = '', seq = '', mark = ''] = line.split(' ');
    promised.set(id, (promised.get(id) ?? new Map()).set(Number(seq), mark));
  }
  const store = openEngineStore({ path: join(disk, 'store'), reserveBytes: 0 });
  expectPromised(store, promised);
  await store.commit([]);
  await store.close();
}

function canMount(): boolean {
  const { path, remove } = tempDir();
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'ignore' });
    execFileSync(UNMOUNT, [path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    remove();
  }
}
