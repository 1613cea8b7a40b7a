import { afterEach, expect, test } from 'vitest';
import { openHostingMetrics } from '../../../src/store/hosting/hosting-metrics.ts';
import { createRequestRecorder } from '../../../src/store/hosting/hosting-requests.ts';
import { LogRig, MORNING } from '../../support/log-rig.ts';
import { tempDir } from '../../support/temp-dir.ts';

const dir = tempDir();
const rig = new LogRig();
afterEach(async () => {
  await rig.close();
  dir.remove();
});

test('a row of the router is one line and one count, whatever was lost with the process', async () => {
  const spool = Array.from({ length: 20 }, (_, n) => ({
    end: n + 1,
    text: JSON.stringify({
      at: MORNING,
      resource: 'srv-a',
      host: 'a.test',
      method: 'GET',
      path: `/${n}`,
      status: 200,
      ms: 1,
      bytes: 10,
    }),
  }));
  const damaged = [...spool.slice(0, 5), { end: 5.5, text: '{"at":' }, ...spool.slice(5)];
  let metrics = openHostingMetrics({ path: dir.path, clock: rig.clock });
  const record = async (lines: typeof spool) => {
    const recorded = createRequestRecorder(rig.logs, metrics).append('router', lines);
    await rig.clock.advance(100);
    return recorded;
  };
  expect(await record(damaged.slice(0, 12))).toEqual({ unreadable: 1 });
  await metrics.flush();
  await record(damaged.slice(0, 16));
  expect(createRequestRecorder(rig.logs, metrics).taken('router')).toBe(11);
  // The metrics of the last rows were in memory only: their store as it was on disk is opened.
  const copy = tempDir();
  const { cpSync } = await import('node:fs');
  cpSync(dir.path, copy.path, { recursive: true });
  await metrics.close();
  metrics = openHostingMetrics({ path: copy.path, clock: rig.clock });
  await rig.reopen();
  const from = createRequestRecorder(rig.logs, metrics).taken('router');
  expect(from).toBe(11);
  await record(damaged.filter(({ end }) => end > from));
  const query = { start: MORNING, end: MORNING + 60_000, resolutionSec: 60 };
  const [count] = await metrics.series({
    ...query,
    resourceId: 'srv-a',
    type: 'http_request_count',
    cpuAggregation: 'AVG',
    latencyQuantile: 0.5,
  });
  expect(count?.values.map(({ value }) => value)).toEqual([20]);
  const lines = await rig.lines({ type: ['request'] });
  expect(lines.map(({ labels }) => labels.path)).toEqual(spool.map((_, n) => `/${n}`));
  await metrics.close();
  copy.remove();
});
