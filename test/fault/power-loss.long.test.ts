import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openBlobStore } from '../../src/store/common/blob-store.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { openMcpState } from '../../src/store/session/mcp-state.ts';
import { built } from '../support/built.ts';
import { Disk } from '../support/disk/disk.ts';
import type { Survival } from '../support/disk/file.ts';
import type { LineWritten } from '../support/disk/lines-written.ts';
import { linesWritten } from '../support/disk/lines-written.ts';
import type { Call } from '../support/disk/trace.ts';
import { canTrace, trace } from '../support/disk/trace.ts';
import { expectPromised } from '../support/flip-rows.ts';
import { seeded } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/disk-writers.mjs', import.meta.url));
const IS_LONG = process.env['STOA_LONG'] === 'all';
/** Half of them right after something was promised, the others anywhere, inside a sync as well. */
const POINTS = IS_LONG ? 1_000 : 60;
const EVENTS = IS_LONG ? 2_000 : 300;
const HANG_MS = IS_LONG ? 480_000 : 120_000;
const SEED = Number(process.env['STOA_POWER_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
const SURVIVALS: readonly Survival[] = ['nothing', 'sectors', 'pages'];

// `npm test` names what a machine without strace does not run, and fails there in CI.
const traced = test.skipIf(!canTrace());

traced.each([
  ['nothing that was promised', []],
  ['nothing that was promised while the file is compacted', ['compact']],
])('a power loss at any point loses %s', (_claim, extra) => check(extra), HANG_MS);

async function check(extra: readonly string[]): Promise<void> {
  const dist = await built();
  const dir = tempDir();
  const root = join(dir.path, 'store');
  const promises = join(dir.path, 'promises');
  mkdirSync(root);
  const program = [process.execPath, PROGRAM, dist, root, promises, String(EVENTS), ...extra];
  const calls = await trace(program, dir.path);
  const lines = linesWritten(calls, promises);
  expect(lines.length).toBeGreaterThanOrEqual(EVENTS);
  const disk = new Disk(root, calls);
  const random = seeded(SEED);
  for (const point of pointsOf(calls, lines, random)) {
    const survival = SURVIVALS[Math.floor(random() * SURVIVALS.length)] ?? 'nothing';
    disk.advance(point);
    const folder = join(dir.path, 'rebuilt');
    disk.rebuild(folder, survival, random);
    const known = lines.filter(({ at }) => at <= point);
    try {
      await inspect(folder, known);
    } catch (cause) {
      const where = `STOA_POWER_SEED=${SEED}: with ${survival} of the rest at point ${point}`;
      throw new Error(`${where}, ${known.length} promises: ${String(cause)}`, { cause });
    }
    rmSync(folder, { recursive: true, force: true });
  }
  dir.remove();
}

/** Points in time, in order. */
function pointsOf(
  calls: readonly Call[],
  lines: readonly LineWritten[],
  random: () => number,
): readonly number[] {
  const first = lines[0]?.at ?? 0;
  const span = (calls.at(-1)?.begin ?? 0) - first;
  return Array.from({ length: POINTS }, (_, n) =>
    n % 2 === 0
      ? (lines[Math.floor(random() * lines.length)]?.at ?? first)
      : first + Math.floor(random() * span),
  ).sort((a, b) => a - b);
}

async function inspect(folder: string, lines: readonly LineWritten[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const promised = new Map<string, Map<number, string>>();
  const hashes: string[] = [];
  const sessions: string[] = [];
  for (const { words } of lines) {
    const [id = '', key = '', mark = ''] = words;
    if (id === 'blob') hashes.push(key);
    else if (id === 'mcp') sessions.push(key);
    else promised.set(id, (promised.get(id) ?? new Map()).set(Number(key), mark));
  }
  const store = openEngineStore({ path: join(folder, 'actors') });
  expectPromised(store, promised);
  await store.close();
  const blobs = openBlobStore({ path: join(folder, 'blobs') });
  for (const hash of hashes) {
    const text = blobs.get(hash) ?? '';
    expect(createHash('sha256').update(text).digest('hex')).toBe(hash);
  }
  await blobs.close();
  const state = openMcpState({ path: join(folder, 'mcp') });
  for (const sessionId of sessions) {
    expect(state.sessions.get(sessionId), sessionId).toMatchObject({ sessionId });
    expect(state.events.after(sessionId, 'x:0'), sessionId).toEqual([]);
  }
  await state.close();
}
