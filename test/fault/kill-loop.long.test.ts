import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { built } from '../support/built.ts';
import type { Promised } from '../support/flip-rows.ts';
import { expectPromised } from '../support/flip-rows.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/engine-writers.mjs', import.meta.url));
const IS_LONG = process.env['STOA_LONG'] === 'all';
const ROUNDS = IS_LONG ? 12 : 3;
const LIFE_MS = IS_LONG ? 3_000 : 1_500;
const HANG_MS = 60_000 + ROUNDS * 20_000;

test.each([
  ['a kill at any moment loses no acknowledged event of 32 writers', []],
  ['a kill at any moment of a compaction loses no acknowledged event', ['compact']],
])('%s', (_claim, extra) => killed(extra), HANG_MS);

async function killed(extra: readonly string[]): Promise<void> {
  const dist = await built();
  const { path, remove } = tempDir();
  const acknowledged = new Map<string, Map<number, string>>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const lifeMs = Math.round(LIFE_MS * (0.5 + Math.random()));
    const lines = await lifeOf({ dist, path, life: round, lifeMs, extra });
    expect(lines.length, `life ${round} of ${lifeMs} ms`).toBeGreaterThan(100);
    for (const line of lines) note(acknowledged, line);
    await inspect(path, acknowledged);
  }
  remove();
}

interface Life {
  readonly dist: string;
  readonly path: string;
  readonly life: number;
  readonly lifeMs: number;
  readonly extra: readonly string[];
}

/** Runs the writers and kills them; gives what they had been promised. */
async function lifeOf({ dist, path, life, lifeMs, extra }: Life): Promise<readonly string[]> {
  const child = spawn(process.execPath, [PROGRAM, dist, path, String(life), ...extra], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const guard = setTimeout(() => child.kill('SIGKILL'), lifeMs + 30_000);
  let dying: NodeJS.Timeout | undefined;
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') dying = setTimeout(() => child.kill('SIGKILL'), lifeMs);
    else lines.push(line);
  }
  clearTimeout(guard);
  clearTimeout(dying);
  const [, signal] = (await closed) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  // The last line may be torn by the kill; then nobody was promised anything by it.
  return lines.filter((line) => /^a\/\d+ \d+ \d+:\d+$/.test(line)).slice(0, -1);
}

function note(acknowledged: Map<string, Map<number, string>>, line: string): void {
  const [id = '', seq = '', mark = ''] = line.split(' ');
  const rows = acknowledged.get(id) ?? new Map<number, string>();
  expect(rows.get(Number(seq)), `${id} row ${seq} was promised twice`).toBeUndefined();
  acknowledged.set(id, rows.set(Number(seq), mark));
}

async function inspect(path: string, acknowledged: Promised) {
  const store = openEngineStore({ path });
  expectPromised(store, acknowledged);
  await store.close();
}
