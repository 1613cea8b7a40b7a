import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RequestReader } from '../../../src/process/hosting/request-reader.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { openHostingLogs } from '../../../src/store/hosting/hosting-logs.ts';
import { openHostingMetrics } from '../../../src/store/hosting/hosting-metrics.ts';
import { tempDir } from '../../support/temp-dir.ts';

const clock = systemClock();
const FIRST = 'requests-0000000000001-000001.jsonl';
const SECOND = 'requests-0000000000001-000002.jsonl';
let dir: ReturnType<typeof tempDir>;
let folder: string;
let open: ReturnType<typeof openAll>;
beforeEach(() => {
  dir = tempDir();
  folder = join(dir.path, 'spool');
  mkdirSync(folder);
  open = openAll();
});
afterEach(async () => {
  await close();
  dir.remove();
});

function openAll() {
  const logs = openHostingLogs({ path: join(dir.path, 'logs') });
  const metrics = openHostingMetrics({ path: join(dir.path, 'metrics') });
  const notices: string[] = [];
  const notice = (line: string) => notices.push(line);
  const served = async () => ['srv-a', 'srv-quiet'];
  const reader = new RequestReader({ folder, logs, metrics, served, clock, notice });
  return { logs, metrics, reader, notices };
}

async function close(): Promise<void> {
  await open.reader.stop();
  await open.metrics.close();
  await open.logs.close();
}

function write(file: string, ...paths: readonly string[]): void {
  const rows = paths.map((path) =>
    JSON.stringify({
      at: Date.now(),
      resource: 'srv-a',
      host: 'a.localhost',
      method: 'GET',
      path,
      status: 200,
      ms: 1,
      bytes: 10,
    }),
  );
  appendFileSync(join(folder, file), rows.map((row) => `${row}\n`).join(''));
}

const hour = () => ({
  startTime: new Date(Date.now() - 1_800_000).toISOString(),
  endTime: new Date(Date.now() + 1_800_000).toISOString(),
});

async function paths(): Promise<readonly string[]> {
  const query = { resource: ['srv-a'], direction: 'forward', limit: 100, ...hour() } as const;
  const { logs } = await open.logs.query(query);
  return logs.map(({ message }) => message.split(' ')[1] ?? '');
}

async function count(resourceId: string): Promise<number | undefined> {
  const now = Date.now();
  const series = await open.metrics.series({
    resourceId,
    type: 'http_request_count',
    start: now - 1_800_000,
    end: now + 60_000,
    resolutionSec: 60,
    cpuAggregation: 'AVG',
    latencyQuantile: 0.95,
  });
  const values = series.flatMap((one) => one.values.map(({ value }) => value));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((done) => setTimeout(done, 20));
  }
}

test('each request is one line and one count, also over a restart', async () => {
  write(FIRST, '/1', '/2');
  await until(async () => (await paths()).length === 2);
  await close();
  write(FIRST, '/3');
  open = openAll();
  await until(async () => (await paths()).length === 3);
  expect(await paths()).toEqual(['a.localhost/1', 'a.localhost/2', 'a.localhost/3']);
  expect(await count('srv-a')).toBe(3);
});

test('a service that was not asked for has the count 0, not a gap', async () => {
  await until(async () => (await count('srv-quiet')) === 0);
});

test('a file goes when logs and metrics have it and there is a later one', async () => {
  write(FIRST, '/1');
  await until(async () => (await paths()).length === 1);
  write(SECOND, '/2');
  await until(async () => (await paths()).length === 2);
  await open.metrics.flush();
  await until(() => !existsSync(join(folder, FIRST)));
  expect(existsSync(join(folder, SECOND))).toBe(true);
});

test('half a line waits for its end; what is no row is told and passed over', async () => {
  appendFileSync(join(folder, FIRST), '{"no":"row"}\n{"at":');
  await until(() => open.notices.length > 0);
  expect(open.notices).toEqual(['requests: 1 unreadable rows']);
  expect(await paths()).toEqual([]);
  appendFileSync(join(folder, FIRST), '1}\n');
  write(FIRST, '/1');
  await until(async () => (await paths()).length === 1);
});
