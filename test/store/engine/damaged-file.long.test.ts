import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Write } from '../../../src/runtime/engine/ports.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { built } from '../../support/built.ts';
import { entry, listed } from '../../support/store-rows.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PROGRAM = fileURLToPath(new URL('../../support/programs/damaged-files.mjs', import.meta.url));
/** Places of each kind of damage. */
const PLACES = process.env['STOA_LONG'] === 'all' ? 1_000 : 100;
let dir: ReturnType<typeof tempDir>;

beforeAll(async () => {
  dir = tempDir();
  await built();
  const store = openEngineStore({ path: join(dir.path, 'whole') });
  for (let round = 0; round < 20; round += 1) await store.commit(makeRows(round));
  for (let n = 0; n < 10; n += 1) {
    await store.commit([{ purge: 'actor', row: { ...listed(`a${n}`, 1, 'done') } }]);
  }
  await store.close();
});
afterAll(() => dir.remove());

test.each(['truncated', 'zeroed', 'random', 'flipped'])(
  'a %s file is refused or read, and never ends the process',
  async (kind) => {
    const args = [await built(), join(dir.path, 'whole', 'data.mdb'), join(dir.path, kind)];
    const { stdout, stderr, signal, status } = spawnSync(
      process.execPath,
      [PROGRAM, ...args, kind, '0', String(PLACES)],
      { encoding: 'utf8', timeout: 900_000 },
    );
    const last = stdout.trim().split('\n').at(-1);
    expect({ signal, status, last, stderr }).toMatchObject({
      signal: null,
      status: 0,
      last: expect.stringMatching(/^end \d+ \d+$/),
    });
    expect(Number(last?.split(' ')[2])).toBeGreaterThan(0);
  },
  1_000_000,
);

function makeRows(round: number): readonly Write[] {
  const writes: Write[] = [];
  for (let n = 0; n < 30; n += 1) {
    const id = `a${n}`;
    const row = { ...entry(id, round + 1), globalSeq: round * 30 + n + 1 };
    const event = { type: 'A', text: 'x'.repeat(n === 7 ? 9_000 : 120) };
    writes.push({ put: 'journal', row: { ...row, event } });
    writes.push({ put: 'index', row: listed(id, 1, 'active') });
  }
  return writes;
}
