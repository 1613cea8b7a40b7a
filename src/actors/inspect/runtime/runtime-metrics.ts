import { SECOND_MS } from '../../../domain/common/time.ts';
import type { Metric, MetricType, MetricValue } from '../../../domain/inspect/metric.ts';
import type { StoreFamily } from '../../../domain/inspect/wire.ts';
import type { EffectCount, RuntimeCounters } from './runtime-counters.ts';
import { BUCKETS_MS, type RuntimeHistogram } from './runtime-histogram.ts';
import type { RuntimeGauges } from './runtime-source.ts';

/** Sources of the metrics. */
export interface MetricsParts {
  readonly counters: RuntimeCounters;
  readonly version: string;
  /** Start of the process, in Unix milliseconds. */
  readonly startedAt: number;
  gauges(): RuntimeGauges;
  families(): readonly StoreFamily[];
  /** Returns false below the disk reserve, when new work is refused. */
  hasRoom(): boolean;
  /** Returns how often the event loop was blocked for a second or more, and the total time. */
  stalls(): { readonly count: number; readonly blockedMs: number };
  /** Returns the CPU time of this process, in seconds. */
  cpuSeconds(): number;
}

/** Returns all metrics of a process in a fixed order. Names and labels are stable. */
export function runtimeMetrics(parts: MetricsParts): readonly Metric[] {
  const gauges = parts.gauges();
  return [
    ...processMetrics(parts, gauges),
    ...engineMetrics(parts, gauges),
    ...effectMetrics(parts.counters.effects),
    ...storeMetrics(parts),
    ...frontMetrics(gauges),
  ];
}

function processMetrics(parts: MetricsParts, gauges: RuntimeGauges): readonly Metric[] {
  const started = parts.startedAt / SECOND_MS;
  const loop = gauges.loopDelayP99Ms / SECOND_MS;
  const stalls = parts.stalls();
  return [
    metric('gauge', 'stoa_build_info', 'Always 1; the label says which version runs.', [
      { labels: { version: parts.version }, value: 1 },
    ]),
    gauge('stoa_start_time_seconds', 'When the process started, since 1970.', started),
    metric('counter', 'stoa_cpu_seconds_total', 'Processor time used.', [one(parts.cpuSeconds())]),
    gauge('stoa_memory_rss_bytes', 'Memory of the process.', gauges.rssBytes),
    gauge('stoa_memory_heap_bytes', 'JavaScript heap in use.', gauges.heapBytes),
    gauge(
      'stoa_event_loop_delay_p99_seconds',
      'How late the event loop was, 99th percentile of the last second.',
      loop,
    ),
    metric('counter', 'stoa_event_loop_stalls_total', 'Times that the event loop was blocked.', [
      one(stalls.count),
    ]),
    metric(
      'counter',
      'stoa_event_loop_stalled_seconds_total',
      'How long the event loop was blocked, in all.',
      [one(stalls.blockedMs / SECOND_MS)],
    ),
  ];
}

function engineMetrics({ counters }: MetricsParts, gauges: RuntimeGauges): readonly Metric[] {
  const rows = counters.kinds.flatMap(({ kind, rows: of }) =>
    Object.entries(of).map(([entry, value]) => ({ labels: { kind, entry }, value })),
  );
  const { commits, timersLate } = counters;
  return [
    metric('counter', 'stoa_events_total', 'Journal rows on disk, by kind of actor.', rows),
    metric(
      'histogram',
      'stoa_commit_seconds',
      'From the first event of a commit until it is on disk.',
      histogram(commits, {}),
    ),
    gauge('stoa_pending_commits', 'Events that are not on disk yet.', gauges.pendingCommits),
    gauge('stoa_live_actors', 'Actors in memory.', gauges.liveActors),
    gauge('stoa_timers', 'Timers that are set.', gauges.timers),
    gauge('stoa_timers_due', 'Timers that are due and have not fired.', gauges.timersDue),
    metric(
      'histogram',
      'stoa_timer_late_seconds',
      'From the due time of a timer until it fires.',
      histogram(timersLate, {}),
    ),
  ];
}

function effectMetrics(effects: readonly EffectCount[]): readonly Metric[] {
  const each = (value: (effect: EffectCount) => number): MetricValue[] =>
    effects.map((effect) => ({ labels: labelsOf(effect), value: value(effect) }));
  return [
    metric(
      'gauge',
      'stoa_effects_running',
      'Attempts of effects that are under way.',
      each(({ running }) => running),
    ),
    metric(
      'counter',
      'stoa_effect_attempts_total',
      'Attempts of effects that ended, by outcome.',
      effects.flatMap((effect) =>
        Object.entries(effect.ends).map(([outcome, value]) => ({
          labels: { ...labelsOf(effect), outcome },
          value,
        })),
      ),
    ),
    metric(
      'counter',
      'stoa_effect_retries_total',
      'Attempts of effects after the first.',
      each(({ retried }) => retried),
    ),
    metric(
      'histogram',
      'stoa_effect_seconds',
      'Time of one attempt of an effect.',
      effects.flatMap((effect) => histogram(effect.times, labelsOf(effect))),
    ),
  ];
}

function storeMetrics(parts: MetricsParts): readonly Metric[] {
  const families = parts.families();
  const each = (value: (family: StoreFamily) => number): MetricValue[] =>
    families.map((family) => ({ labels: placeOf(family), value: value(family) }));
  const used = families.flatMap((family) =>
    family.used === null ? [] : [{ labels: placeOf(family), value: family.used }],
  );
  return [
    metric(
      'gauge',
      'stoa_store_rows',
      'Rows of a key family.',
      each(({ rows }) => rows),
    ),
    metric(
      'gauge',
      'stoa_store_bytes',
      'Bytes of the pages of a key family.',
      each(({ bytes }) => bytes),
    ),
    metric(
      'gauge',
      'stoa_store_used_ratio',
      'Rows of a key family by its bound, where that is a number.',
      used,
    ),
    gauge(
      'stoa_store_has_room',
      '0 while the disk reserve is reached and new work is refused, else 1.',
      parts.hasRoom() ? 1 : 0,
    ),
  ];
}

function frontMetrics(gauges: RuntimeGauges): readonly Metric[] {
  return [
    gauge('stoa_sessions', 'MCP sessions that are kept.', gauges.sessions),
    gauge('stoa_streams', 'Streams of events that are open to MCP clients.', gauges.streams),
    gauge('stoa_consoles', 'Consoles that are connected.', gauges.consoles),
    gauge('stoa_calls', 'Tool calls under way.', gauges.calls),
  ];
}

function labelsOf({ kind, src, provider }: EffectCount): Record<string, string> {
  return { kind, effect: src, provider };
}

function placeOf({ environment, family }: StoreFamily): Record<string, string> {
  return { environment, family };
}

function histogram(
  { counts, count, sumMs }: RuntimeHistogram,
  labels: Readonly<Record<string, string>>,
): readonly MetricValue[] {
  let below = 0;
  const buckets: MetricValue[] = BUCKETS_MS.map((boundMs, at) => {
    below += counts[at] ?? 0;
    const le = String(boundMs / SECOND_MS);
    return { suffix: '_bucket', labels: { ...labels, le }, value: below };
  });
  return [
    ...buckets,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sumMs / SECOND_MS },
    { suffix: '_count', labels, value: count },
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return metric('gauge', name, help, [one(value)]);
}

function one(value: number): MetricValue {
  return { labels: {}, value };
}

function metric(
  type: MetricType,
  name: string,
  help: string,
  values: readonly MetricValue[],
): Metric {
  return { name, help, type, values };
}
