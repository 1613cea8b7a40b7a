import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { built } from '../../support/built.ts';
import { writeFullStore } from '../../support/full-store.ts';
import { tempDir } from '../../support/temp-dir.ts';

const PROGRAM = fileURLToPath(new URL('../../support/programs/damaged-files.mjs', import.meta.url));
/** Places of each kind of damage. */
const PLACES = process.env['STOA_LONG'] === 'all' ? 1_000 : 100;
let dir: ReturnType<typeof tempDir>;

beforeAll(async () => {
  dir = tempDir();
  await built();
  await writeFullStore(join(dir.path, 'whole'));
});
afterAll(() => dir.remove());

test.each(['empty', 'truncated', 'zeroed', 'random', 'flipped', 'lock'])(
  'a %s file is refused with its place, or each row that is read was written and each damaged one named',
  async (kind) => {
    const args = [await built(), join(dir.path, 'whole'), join(dir.path, kind)];
    const places = kind === 'empty' ? 1 : PLACES;
    const { stdout, stderr, signal, status } = spawnSync(
      process.execPath,
      [PROGRAM, ...args, kind, '0', String(places)],
      { encoding: 'utf8', timeout: 1_800_000 },
    );
    const last = stdout.trim().split('\n').at(-1) ?? '';
    expect({ signal, status, last, stderr }).toMatchObject({
      signal: null,
      status: 0,
      last: expect.stringMatching(/^end /),
    });
    const { whole, refused, named, faults }: Counts = JSON.parse(last.slice('end '.length));
    expect(faults).toEqual([]);
    expect(whole + refused + named).toBe(places);
    // The lock file is of no weight: its first opener writes it anew.
    if (kind === 'lock') expect(whole).toBe(places);
    else expect(refused).toBeGreaterThan(0);
    // A flipped bit of a row leaves the pages whole; its checksum names it.
    if (kind === 'flipped') expect(named).toBeGreaterThan(places / 4);
  },
  2_000_000,
);

interface Counts {
  readonly whole: number;
  readonly refused: number;
  readonly named: number;
  readonly faults: readonly unknown[];
}
