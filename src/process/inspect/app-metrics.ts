import { RuntimeCounters } from '../../actors/inspect/runtime/runtime-counters.ts';
import { RuntimeSampler } from '../../actors/inspect/runtime/runtime-sampler.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { RuntimeSource } from '../../domain/inspect/runtime-source.ts';
import type { AppParts } from '../../runtime/durable/app-parts.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { chain, isPromise } from '../../runtime/load/awaitable.ts';
import type { EffectAttempt, EngineObserver } from '../../runtime/view/observer.ts';
import { addBounds } from '../../store/common/families.ts';
import { openMeters } from '../telemetry/meters.ts';

/** Most due timers that are counted. */
const DUE_COUNTED_MAX = 1_000;

/** Dependencies of the metrics of an app. */
export interface AppMetricsDeps {
  readonly engine: ActorEngine;
  /** Absent for an engine that `durable` did not create; only its rows are counted then. */
  readonly parts: AppParts | undefined;
  readonly clock: Clock;
  /** Returns the number of connected consoles. */
  readonly consoles: () => number;
}

/** Starts to measure an app from now on. `close` ends it. */
export function openAppMetrics({ engine, parts, clock, consoles }: AppMetricsDeps): {
  readonly source: RuntimeSource;
  close(): void;
} {
  const meters = openMeters();
  const counters = new RuntimeCounters(meters.now, () => 'own');
  const unobserve = observe(engine, parts, counters);
  const sizes = () => parts?.store.sizes?.() ?? [];
  let lastDue = 0;
  // A store that answers later is one sample behind.
  const countDue = (now: number): number => {
    const counted = chain(parts?.store.dueTimers(now, DUE_COUNTED_MAX) ?? [], ({ length }) => {
      lastDue = length;
    });
    if (isPromise(counted)) counted.catch(() => undefined);
    return lastDue;
  };
  const sampler = new RuntimeSampler({
    clock,
    counters,
    gauges: () => {
      const stats = engine.stats();
      const now = parts?.clock.now() ?? clock.now();
      const isDue = (stats.nextDue ?? Number.POSITIVE_INFINITY) <= now;
      return {
        pendingCommits: stats.pendingCommits,
        liveActors: stats.live,
        runningEffects: stats.runningEffects,
        timers: sizes().find(({ family }) => family === 'timers')?.rows ?? 0,
        timersDue: isDue ? countDue(now) : 0,
        ...meters.memory(),
        loopDelayP99Ms: meters.loopDelayP99Ms(),
        sessions: 0,
        streams: 0,
        calls: 0,
        consoles: consoles(),
      };
    },
    families: () => addBounds('actors', sizes()),
  });
  sampler.start();
  return {
    source: sampler,
    close: () => {
      sampler.stop();
      meters.stop();
      unobserve();
    },
  };
}

function observe(
  engine: ActorEngine,
  parts: AppParts | undefined,
  counters: RuntimeCounters,
): () => void {
  if (parts !== undefined) return parts.relay.add(onlyWhole(counters));
  return engine.feed(engine.stats().globalSeq + 1, (entry) => counters.recorded(entry));
}

/** Leaves out ends of attempts that began before the observer came. */
function onlyWhole(counters: RuntimeCounters): EngineObserver {
  const begun = new WeakSet<EffectAttempt>();
  return {
    now: counters.now,
    committed: (ms) => counters.committed(ms),
    recorded: (entry) => counters.recorded(entry),
    timerFired: (lateMs) => counters.timerFired(lateMs),
    effectBegan: (attempt) => {
      begun.add(attempt);
      counters.effectBegan(attempt);
    },
    effectEnded: (attempt, end, ms) => {
      if (begun.has(attempt)) counters.effectEnded(attempt, end, ms);
    },
  };
}
