import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/domain/common/time.ts';
import type { LogQuery } from '../../src/domain/hosting/hosting.ts';
import type { HostingLogs } from '../../src/domain/hosting/telemetry/hosting-telemetry.ts';
import { openHostingLogs } from '../../src/store/hosting/hosting-logs.ts';
import { openHostingMetrics } from '../../src/store/hosting/hosting-metrics.ts';
import { built } from '../support/built.ts';
import { tempDir } from '../support/temp-dir.ts';

const PROGRAM = fileURLToPath(new URL('../support/programs/log-writers.mjs', import.meta.url));
const IS_LONG = process.env['STOA_LONG'] === 'all';
const ROUNDS = IS_LONG ? 20 : 4;
const LINES = IS_LONG ? 100_000 : 20_000;
const LIFE_MS = 400;
const HANG_MS = 60_000 + ROUNDS * 30_000;

test(
  'a kill at any moment of the intake neither loses nor repeats a line of a spool',
  async () => {
    const dist = await built();
    const { path, remove } = tempDir();
    const program = Array.from({ length: LINES }, (_, n) => `[INFO] line ${n + 1}`);
    writeFileSync(join(path, 'program.spool'), `${program.join('\n')}\n`);
    writeFileSync(join(path, 'router.spool'), `${routerRows().join('\n')}\n`);
    let last = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const told = await lifeOf({ dist, path, round });
      last = await inspect(path, told, program);
    }
    expect(last).toBeGreaterThan(ROUNDS * 20);
    remove();
  },
  HANG_MS,
);

/** Runs the readers and kills them; gives how far each spool was said to be on disk. */
async function lifeOf({ dist, path, round }: { dist: string; path: string; round: number }) {
  const child = spawn(process.execPath, [PROGRAM, dist, path, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told = { program: 0, router: 0 };
  const guard = setTimeout(() => child.kill('SIGKILL'), 60_000);
  let dying: NodeJS.Timeout | undefined;
  const closed = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const [spool = '', end = ''] = line.split(' ');
    const kill = () => child.kill('SIGKILL');
    if (line === 'ready') dying = setTimeout(kill, LIFE_MS * (0.5 + Math.random()));
    if (spool === 'program' || spool === 'router') told[spool] = Number(end);
  }
  clearTimeout(guard);
  clearTimeout(dying);
  const [, signal] = (await closed) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return told;
}

async function inspect(
  path: string,
  told: { readonly program: number; readonly router: number },
  program: readonly string[],
): Promise<number> {
  const logs = openHostingLogs({ path: join(path, 'logs') });
  const metrics = openHostingMetrics({ path: join(path, 'metrics') });
  const taken = logs.storedUntil('program');
  expect(taken).toBeGreaterThanOrEqual(told.program);
  expect(await messages(logs, 'app')).toEqual(program.slice(0, taken));
  const rows = logs.storedUntil('router');
  expect(rows).toBeGreaterThanOrEqual(told.router);
  expect(await paths(logs)).toEqual(Array.from({ length: rows }, (_, n) => `/${n + 1}`));
  const now = Date.now();
  const [count] = await metrics.series({
    resourceId: 'srv-a',
    type: 'http_request_count',
    cpuAggregation: 'AVG',
    start: now - DAY_MS,
    end: now + DAY_MS,
    resolutionSec: 86_400,
    latencyQuantile: 0.5,
  });
  const counted = (count?.values ?? []).reduce((sum, { value }) => sum + value, 0);
  expect(counted).toBe(metrics.countedUntil('router'));
  await logs.close();
  await metrics.close();
  return taken;
}

function routerRows(): readonly string[] {
  const at = Date.now();
  const row = {
    at,
    resource: 'srv-a',
    host: 'a.test',
    method: 'GET',
    status: 200,
    ms: 1,
    bytes: 1,
  };
  return Array.from({ length: LINES }, (_, n) => JSON.stringify({ ...row, path: `/${n + 1}` }));
}

async function messages(logs: HostingLogs, type: 'app' | 'request') {
  return (await linesOf(logs, type)).map(({ message }) => message);
}

async function paths(logs: HostingLogs) {
  return (await linesOf(logs, 'request')).map(({ labels }) => labels.path);
}

async function linesOf(logs: HostingLogs, type: 'app' | 'request') {
  let query: LogQuery = {
    resource: ['srv-a'],
    type: [type],
    direction: 'forward',
    limit: 100,
    startTime: new Date(Date.now() - DAY_MS).toISOString(),
    endTime: new Date(Date.now() + DAY_MS).toISOString(),
  };
  const lines: Awaited<ReturnType<HostingLogs['query']>>['logs'][number][] = [];
  for (;;) {
    const page = await logs.query(query);
    lines.push(...page.logs);
    if (!page.hasMore) return lines;
    query = { ...query, startTime: page.nextStartTime, endTime: page.nextEndTime };
  }
}
