import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RuntimeCounters } from '../../../src/actors/inspect/runtime/runtime-counters.ts';
import { collectMetrics } from '../../../src/actors/inspect/runtime/runtime-metrics.ts';
import type { JournalEntry } from '../../../src/runtime/engine/types.ts';
import type { EffectAttempt } from '../../../src/runtime/view/observer.ts';
import { formatMetrics } from '../../../src/transport/routes/metrics.ts';
import { readMetrics } from '../../support/prometheus-text.ts';

const OPERATIONS = readFileSync(
  fileURLToPath(new URL('../../../docs/operations.md', import.meta.url)),
  'utf8',
);

/** A process in which everything has happened once. */
function metrics() {
  const counters = new RuntimeCounters(
    () => 0,
    () => 'chain',
  );
  const attempt: EffectAttempt = {
    actorId: 'a',
    kind: 'payment',
    src: 'settle',
    input: {},
    token: 't',
    attempt: 2,
    trace: undefined,
  };
  counters.recorded({ kind: 'payment', entry: 'event' } as JournalEntry);
  counters.committed(3);
  counters.committed(4_000);
  counters.timerFired(12);
  counters.effectBegan(attempt);
  counters.effectEnded(attempt, { outcome: 'done' }, 40);
  const gauges = {
    pendingCommits: 1,
    liveActors: 2,
    timers: 3,
    timersDue: 0,
    runningEffects: 0,
    rssBytes: 4,
    heapBytes: 5,
    loopDelayP99Ms: 6,
    sessions: 7,
    streams: 8,
    consoles: 9,
    calls: 10,
  };
  const family = { environment: 'actors', family: 'odd"\\\nname', rows: 1, bytes: 4_096 };
  return collectMetrics({
    counters,
    version: '1.2.3',
    startedAt: 5_000,
    gauges: () => gauges,
    families: () => [{ ...family, bound: 'ten', used: 0.1 }],
    hasRoom: () => true,
    stalls: () => ({ count: 2, blockedMs: 3_500 }),
    cpuSeconds: () => 1.5,
  });
}

test('what /metrics says is the text format 0.0.4, and reads back as it was', () => {
  const read = readMetrics(formatMetrics(metrics()));
  expect(read.get('stoa_cpu_seconds_total')).toMatchObject({
    type: 'counter',
    samples: [{ name: 'stoa_cpu_seconds_total', labels: {}, value: 1.5 }],
  });
  expect(read.get('stoa_store_rows')?.samples).toEqual([
    {
      name: 'stoa_store_rows',
      labels: { environment: 'actors', family: 'odd"\\\nname' },
      value: 1,
    },
  ]);
  const commits = read.get('stoa_commit_seconds')?.samples ?? [];
  const bucket = (le: string) => commits.find(({ labels }) => labels['le'] === le)?.value;
  expect([bucket('0.002'), bucket('0.003'), bucket('2.5'), bucket('5'), bucket('+Inf')]).toEqual([
    0, 1, 1, 2, 2,
  ]);
  expect(commits.slice(-2).map(({ value }) => value)).toEqual([4.003, 2]);
});

test('names say what they count and in which unit', () => {
  for (const { name, type } of metrics()) {
    expect(name).toMatch(/^stoa_[a-z0-9_]+$/);
    if (type === 'counter') expect(name).toMatch(/_total$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(name).not.toMatch(/_(ms|milliseconds|kb|mb)\b/);
  }
});

test('docs/operations.md names every metric with its type and labels, and no other', () => {
  const documented = [...OPERATIONS.matchAll(/^\| `(stoa_\w+)` \| (\w+) \|([^|]*)\|/gm)].map(
    ([, name, type, labels = '']) => ({ name, type, labels: labels.match(/\w+/g) ?? [] }),
  );
  const exposed = metrics().map(({ name, type, values }) => ({
    name,
    type,
    labels: Object.keys(values[0]?.labels ?? {}).filter((label) => label !== 'le'),
  }));
  expect(documented).toEqual(exposed);
});

test('every metric of the alerts in docs/operations.md is there', () => {
  const names = new Set(metrics().map(({ name }) => name));
  const [, alerts = ''] = OPERATIONS.split('## Alerts');
  const used = [...alerts.matchAll(/stoa_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  );
  expect(used.length).toBeGreaterThan(5);
  for (const name of used) expect(names, name).toContain(name);
});
