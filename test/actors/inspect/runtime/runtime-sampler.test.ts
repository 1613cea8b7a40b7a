import { expect, test } from 'vitest';
import {
  EFFECT_COUNTERS_MAX,
  RuntimeCounters,
} from '../../../../src/actors/inspect/runtime/runtime-counters.ts';
import { RuntimeHistogram } from '../../../../src/actors/inspect/runtime/runtime-histogram.ts';
import { RuntimeSampler } from '../../../../src/actors/inspect/runtime/runtime-sampler.ts';
import type { RuntimeFrame } from '../../../../src/domain/inspect/wire.ts';
import type { JournalEntry } from '../../../../src/runtime/engine/types.ts';
import { SimulatedClock } from '../../../../src/runtime/timer/clock.ts';
import type { EffectAttempt } from '../../../../src/runtime/view/observer.ts';

const GAUGES = {
  pendingCommits: 0,
  liveActors: 1,
  timers: 2,
  timersDue: 0,
  runningEffects: 0,
  rssBytes: 3,
  heapBytes: 4,
  loopDelayP99Ms: 0,
  sessions: 0,
  streams: 0,
  consoles: 0,
  calls: 0,
};

function attemptOf(src: string, attempt = 1): EffectAttempt {
  return { actorId: 'a', kind: 'job', src, input: {}, token: 't', attempt, trace: undefined };
}

function rig() {
  const clock = new SimulatedClock(0);
  const counters = new RuntimeCounters(
    () => clock.now(),
    ({ src }) => src.slice(0, 5),
  );
  let asked = 0;
  const sampler = new RuntimeSampler({
    clock,
    counters,
    gauges: () => GAUGES,
    families: () => {
      asked += 1;
      return [];
    },
  });
  sampler.start();
  return { clock, counters, sampler, asked: () => asked };
}

test('a quantile stands within the bucket that holds it', () => {
  const histogram = new RuntimeHistogram();
  expect(histogram.quantile(0.5)).toBe(null);
  for (let ms = 1; ms <= 100; ms += 1) histogram.add(ms);
  expect(histogram.count).toBe(100);
  expect(histogram.sumMs).toBe(5_050);
  expect(histogram.quantile(0.5)).toBe(50);
  expect(histogram.quantile(0.99)).toBe(99);
  histogram.mark();
  expect(histogram.recentQuantile(0.5)).toBe(null);
  histogram.add(7);
  expect(histogram.recentQuantile(1)).toBe(7.5);
  // What no bucket holds counts as the longest bound, in quantiles alone.
  histogram.add(9e9);
  expect(histogram.recentQuantile(1)).toBe(900_000);
});

test('every sample holds what came in its second, and ten minutes are kept', async () => {
  const { clock, counters, sampler } = rig();
  for (let n = 0; n < 5; n += 1) counters.recorded({ kind: 'job', entry: 'event' } as JournalEntry);
  counters.committed(4);
  await clock.advance(1_000);
  await clock.advance(1_000);
  const { isFirst, samples } = sampler.history();
  expect(isFirst).toBe(true);
  expect(samples).toMatchObject([
    { at: 1_000, events: 5, commits: 1, liveActors: 1 },
    { at: 2_000, events: 0, commits: 0, commitP99Ms: null },
  ]);
  expect(samples[0]?.commitP50Ms).toBeGreaterThan(3);
  await clock.advance(600_000);
  expect(sampler.history().samples).toHaveLength(600);
  expect(sampler.history().samples[0]?.at).toBe(3_000);
  sampler.stop();
  await clock.advance(5_000);
  expect(sampler.history().samples.at(-1)?.at).toBe(602_000);
});

test('all who watch get the same frame; stores are asked only while somebody looks', async () => {
  const { clock, sampler, asked } = rig();
  await clock.advance(30_000);
  expect(asked()).toBe(0);
  const frames: RuntimeFrame[][] = [[], []];
  const ends = frames.map((list) => sampler.watch((frame) => list.push(frame)));
  await clock.advance(20_000);
  expect(frames[0]).toHaveLength(20);
  expect(frames[0]?.[7]).toBe(frames[1]?.[7]);
  expect(frames[0]?.[0]?.samples).toHaveLength(1);
  expect(asked()).toBe(2);
  ends[0]?.();
  await clock.advance(1_000);
  expect(frames.map(({ length }) => length)).toEqual([20, 21]);
  sampler.stop();
});

test('effects are counted by name and provider, and what is too much is one', () => {
  const { counters, sampler } = rig();
  const first = attemptOf('chain');
  const again = attemptOf('chain', 2);
  counters.effectBegan(first);
  expect(counters.effects[0]?.load).toMatchObject({ running: 1, done: 0, p50Ms: null });
  counters.effectEnded(first, { outcome: 'failed' }, 10);
  counters.effectBegan(again);
  counters.effectEnded(again, { outcome: 'done' }, 20);
  expect(counters.effects[0]?.load).toMatchObject({
    kind: 'job',
    src: 'chain',
    provider: 'chain',
    running: 0,
    done: 1,
    failed: 1,
    retried: 1,
  });
  for (let n = 0; n < 1_000; n += 1) counters.effectBegan(attemptOf(`effect-${n}`));
  expect(counters.effects).toHaveLength(EFFECT_COUNTERS_MAX + 1);
  expect(counters.effects.at(-1)?.load).toMatchObject({ provider: 'other', running: 873 });
  sampler.stop();
});
