import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { built } from '../support/built.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/flat-events.mjs', import.meta.url));
const IS_LONG = process.env['STOA_LONG'] === 'all';
const EVENTS = IS_LONG ? 10_000_000 : 200_000;
const LOOKS = 20;
/** On a slow machine the long form ends with fewer events; fewer than this are too few. */
const EVENTS_MIN = IS_LONG ? 3_000_000 : 50_000;
const MOST_MS = IS_LONG ? 480_000 : 40_000;
/** How far the second half may be above the first. */
const SLACK = 1.1;
/** What the allocator and the collector move to and fro, in bytes. */
const NOISE_BYTES = { rss: 24 * 1024 * 1024, heapUsed: 4 * 1024 * 1024, size: 0 };

interface Look {
  readonly events: number;
  readonly rss: number;
  readonly heapUsed: number;
  readonly size: number;
}

test(
  `memory and disk stay flat over ${EVENTS} events of actors with bounded journals`,
  async () => {
    const dir = tempDir();
    const looks = await lookedAt(dir.path);
    expect(looks.at(-1)?.events).toBeGreaterThanOrEqual(EVENTS_MIN);
    const half = Math.ceil(looks.length / 2);
    const [first, second] = [looks.slice(0, half), looks.slice(half)];
    for (const what of ['size', 'heapUsed', 'rss'] as const) {
      const bound = most(first, what) * SLACK + NOISE_BYTES[what];
      expect(most(second, what), what).toBeLessThanOrEqual(bound);
    }
    const store = openEngineStore({ path: dir.path });
    expect(store.readJournal('a/0', 1, 1_000).length).toBeLessThanOrEqual(64 + 2 * 32);
    await store.close();
    dir.remove();
  },
  MOST_MS + 60_000,
);

async function lookedAt(path: string): Promise<readonly Look[]> {
  const sizes = [EVENTS, EVENTS / LOOKS, MOST_MS].map(String);
  const args = ['--expose-gc', PROGRAM, await built(), path, ...sizes];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    timeout: MOST_MS + 30_000,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Look);
}

function most(looks: readonly Look[], what: 'rss' | 'heapUsed' | 'size'): number {
  return Math.max(...looks.map((look) => look[what]));
}
