// Ten series of a sample each 30 seconds. PEER=stoa: our metrics; PEER=raw: one record a sample in
// LMDB, an hour in one commit, as ours. DAYS
import { statSync } from 'node:fs';
import { open } from 'lmdb';
import { answer } from '../lib/cpu.mjs';
import { fromDist } from '../lib/dist.mjs';
import { scratch } from '../lib/output.mjs';
import { measured, medianMs } from './lines.mjs';

const SERIES = 10;
const SAMPLE_MS = 30_000;
const HOUR_MS = 3_600_000;
const BEGIN = Date.parse('2026-10-01T00:00:00Z');
const { PEER, DAYS } = process.env;
const end = BEGIN + Number(DAYS) * 86_400_000;
const samples = ((end - BEGIN) / SAMPLE_MS) * SERIES;
const folder = scratch(`hosting-metrics-${process.pid}`);
const path = `${folder.path}/metrics`;
const result = PEER === 'raw' ? await raw() : await stoa();
folder.clear();
answer(result);

async function stoa() {
  const { openHostingMetrics } = await fromDist('store/hosting/hosting-metrics.js');
  let now = BEGIN;
  const clock = { now: () => now, at: () => () => undefined };
  const metrics = openHostingMetrics({ path, clock });
  const write = await measured(samples, async () => {
    for (; now < end; now += SAMPLE_MS) {
      for (let n = 0; n < SERIES; n += 1) {
        const resource = `srv-${n}`;
        metrics.recordGauge({ resource, metric: 'memory_usage', at: now, value: valueAt(now, n) });
      }
      if (now % HOUR_MS === 0) await metrics.flush();
    }
    await metrics.flush();
  });
  const bytes = statSync(`${path}/data.mdb`).size / samples;
  const query = { resourceId: 'srv-3', type: 'memory_usage', resolutionSec: 3_600 };
  const readMs = await medianMs(async () => {
    const times = { start: BEGIN, end, latencyQuantile: 0.5, cpuAggregation: 'AVG' };
    const [series] = await metrics.series({ ...query, ...times });
    if (series.values.length !== Number(DAYS) * 24) throw new Error('a value is missing');
  }, 9);
  await metrics.close();
  return { write, bytes, readMs };
}

async function raw() {
  const root = open({ path, noSubdir: false, overlappingSync: false });
  const db = root.openDB('samples', { encoding: 'binary' });
  const value = Buffer.alloc(8);
  const write = await measured(samples, async () => {
    for (let now = BEGIN; now < end; now += SAMPLE_MS) {
      let put;
      for (let n = 0; n < SERIES; n += 1) {
        value.writeDoubleLE(valueAt(now, n));
        put = db.put([`srv-${n}`, 'memory_usage', now], Buffer.from(value));
      }
      if (now % HOUR_MS === 0) await put;
    }
    await root.flushed;
  });
  const bytes = statSync(`${path}/data.mdb`).size / samples;
  const readMs = await medianMs(() => {
    const hours = new Map();
    const range = { start: ['srv-3', 'memory_usage', BEGIN], end: ['srv-3', 'memory_usage', end] };
    for (const { key, value: bytesOf } of db.getRange(range)) {
      const hour = Math.floor(key[2] / HOUR_MS);
      hours.set(hour, (hours.get(hour) ?? 0) + bytesOf.readDoubleLE(0));
    }
    if (hours.size !== Number(DAYS) * 24) throw new Error('a value is missing');
  }, 9);
  await root.close();
  return { write, bytes, readMs };
}

function valueAt(now, n) {
  return 200e6 + (((now / SAMPLE_MS) * 7_919 * (n + 1)) % 50e6);
}
