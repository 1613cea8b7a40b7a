import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Write } from '../../../src/runtime/engine/ports.ts';
import type { TimerRow } from '../../../src/runtime/engine/types.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { built } from '../../support/built.ts';
import { dead, entry, letterId, listed } from '../../support/store-rows.ts';
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

test.each(['empty', 'truncated', 'zeroed', 'random', 'flipped'])(
  'a %s file is refused or read, never ends the process, and a check agrees',
  async (kind) => {
    const args = [await built(), join(dir.path, 'whole'), join(dir.path, kind)];
    const places = kind === 'empty' ? 1 : PLACES;
    const { stdout, stderr, signal, status } = spawnSync(
      process.execPath,
      [PROGRAM, ...args, kind, '0', String(places)],
      { encoding: 'utf8', timeout: 900_000 },
    );
    const last = stdout.trim().split('\n').at(-1) ?? '';
    expect({ signal, status, last, stderr }).toMatchObject({
      signal: null,
      status: 0,
      last: expect.stringMatching(/^end /),
    });
    const counts: Counts = JSON.parse(last.slice('end '.length));
    const { whole, refused, named } = counts;
    expect(whole + refused + named).toBe(places);
    expect(refused).toBeGreaterThan(0);
    // A flipped bit of a row leaves the pages whole; its checksum names it.
    if (kind === 'flipped') expect(named).toBeGreaterThan(places / 4);
  },
  1_000_000,
);

interface Counts {
  readonly whole: number;
  readonly refused: number;
  readonly named: number;
}

function makeRows(round: number): readonly Write[] {
  const writes: Write[] = [];
  for (let n = 0; n < 30; n += 1) {
    const id = `a${n}`;
    const row = { ...entry(id, round + 1), globalSeq: round * 30 + n + 1 };
    const event = { type: 'A', text: 'x'.repeat(n === 7 ? 9_000 : 120) };
    writes.push({ put: 'journal', row: { ...row, event } });
    writes.push({ put: 'index', row: listed(id, 1, 'active') });
    writes.push({ put: 'timer', id, row: makeTimer(id, round) });
    writes.push(dead(letterId(round * 30 + n), 1));
  }
  return writes;
}

function makeTimer(id: string, round: number): TimerRow {
  return { timerId: `t${round}`, due: round, token: `${id}:1`, event: { type: 'T' } };
}
