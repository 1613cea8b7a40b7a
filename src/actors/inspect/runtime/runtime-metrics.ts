import { SECOND_MS } from '../../../domain/common/time.ts';
import type { Metric, MetricType, MetricValue } from '../../../domain/inspect/metric.ts';
import type { StoreFamily } from '../../../domain/inspect/wire.ts';
import type { EffectCount, RuntimeCounters } from './runtime-counters.ts';
import { BUCKETS_MS, type RuntimeHistogram } from './runtime-histogram.ts';
import type { RuntimeGauges } from './runtime-sampler.ts';

/** Sources of the metrics. */
export interface MetricsDeps {
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
export function collectMetrics(parts: MetricsDeps): readonly Metric[] {
  const gauges = parts.gauges();
  return [
    ...processMetrics(parts, gauges),
    ...engineMetrics(parts, gauges),
    ...effectMetrics(parts.counters.effects),
    ...storeMetrics(parts),
    ...connectionMetrics(gauges),
  ];
}

function processMetrics(parts: MetricsDeps, gauges: RuntimeGauges): readonly Metric[] {
  const started = parts.startedAt / SECOND_MS;
  const loop = gauges.loopDelayP99Ms / SECOND_MS;
  const stalls = parts.stalls();
  return [
    metric('gauge', 'stoa_build_info', 'Always 1; the label is the running version.', [
      { labels: { version: parts.version }, value: 1 },
    ]),
    gauge('stoa_start_time_seconds', 'Start time of the process as Unix time.', started),
    metric('counter', 'stoa_cpu_seconds_total', 'CPU time used.', [unlabelled(parts.cpuSeconds())]),
    gauge('stoa_memory_rss_bytes', 'Memory of the process.', gauges.rssBytes),
    gauge('stoa_memory_heap_bytes', 'JavaScript heap in use.', gauges.heapBytes),
    gauge(
      'stoa_event_loop_delay_p99_seconds',
      'Event loop delay, 99th percentile over the last second.',
      loop,
    ),
    metric('counter', 'stoa_event_loop_stalls_total', 'Times the event loop was blocked.', [
      unlabelled(stalls.count),
    ]),
    metric(
      'counter',
      'stoa_event_loop_stalled_seconds_total',
      'Total time the event loop was blocked.',
      [unlabelled(stalls.blockedMs / SECOND_MS)],
    ),
  ];
}

function engineMetrics({ counters }: MetricsDeps, gauges: RuntimeGauges): readonly Metric[] {
  const rows = counters.kinds.flatMap(({ kind, rows: of }) =>
    Object.entries(of).map(([entry, value]) => ({ labels: { kind, entry }, value })),
  );
  const { commits, timersLate } = counters;
  return [
    metric('counter', 'stoa_events_total', 'Journal rows on disk, by actor kind.', rows),
    metric(
      'histogram',
      'stoa_commit_seconds',
      'Time from the first event of a commit until it is on disk.',
      histogram(commits, {}),
    ),
    gauge('stoa_pending_commits', 'Events not yet on disk.', gauges.pendingCommits),
    gauge('stoa_live_actors', 'Actors in memory.', gauges.liveActors),
    gauge('stoa_timers', 'Timers set.', gauges.timers),
    gauge('stoa_timers_due', 'Timers due but not yet fired.', gauges.timersDue),
    metric(
      'histogram',
      'stoa_timer_late_seconds',
      'Time from the due time of a timer until it fires.',
      histogram(timersLate, {}),
    ),
  ];
}

function effectMetrics(effects: readonly EffectCount[]): readonly Metric[] {
  const each = (value: (effect: EffectCount) => number): MetricValue[] =>
    effects.map((effect) => ({ labels: effectLabels(effect), value: value(effect) }));
  return [
    metric(
      'gauge',
      'stoa_effects_running',
      'Effect attempts in progress.',
      each(({ running }) => running),
    ),
    metric(
      'counter',
      'stoa_effect_attempts_total',
      'Finished effect attempts, by outcome.',
      effects.flatMap((effect) =>
        Object.entries(effect.ends).map(([outcome, value]) => ({
          labels: { ...effectLabels(effect), outcome },
          value,
        })),
      ),
    ),
    metric(
      'counter',
      'stoa_effect_retries_total',
      'Effect attempts after the first.',
      each(({ retried }) => retried),
    ),
    metric(
      'histogram',
      'stoa_effect_seconds',
      'Duration of one effect attempt.',
      effects.flatMap((effect) => histogram(effect.durations, effectLabels(effect))),
    ),
  ];
}

function storeMetrics(parts: MetricsDeps): readonly Metric[] {
  const families = parts.families();
  const each = (value: (family: StoreFamily) => number): MetricValue[] =>
    families.map((family) => ({ labels: familyLabels(family), value: value(family) }));
  const used = families.flatMap((family) =>
    family.used === null ? [] : [{ labels: familyLabels(family), value: family.used }],
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
      'Bytes in the pages of a key family.',
      each(({ bytes }) => bytes),
    ),
    metric(
      'gauge',
      'stoa_store_used_ratio',
      'Rows of a key family divided by its limit, if it has one.',
      used,
    ),
    gauge(
      'stoa_store_has_room',
      '0 while new work is refused because of the disk reserve, else 1.',
      parts.hasRoom() ? 1 : 0,
    ),
  ];
}

function connectionMetrics(gauges: RuntimeGauges): readonly Metric[] {
  return [
    gauge('stoa_sessions', 'MCP sessions stored.', gauges.sessions),
    gauge('stoa_streams', 'Event streams open to MCP clients.', gauges.streams),
    gauge('stoa_consoles', 'Connected consoles.', gauges.consoles),
    gauge('stoa_calls', 'Tool calls in progress.', gauges.calls),
  ];
}

function effectLabels({ kind, src, provider }: EffectCount): Record<string, string> {
  return { kind, effect: src, provider };
}

function familyLabels({ environment, family }: StoreFamily): Record<string, string> {
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
  return metric('gauge', name, help, [unlabelled(value)]);
}

function unlabelled(value: number): MetricValue {
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
