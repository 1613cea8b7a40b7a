import { RuntimeCounters } from '../../actors/inspect/runtime/runtime-counters.ts';
import { collectMetrics } from '../../actors/inspect/runtime/runtime-metrics.ts';
import {
  type RuntimeGauges,
  RuntimeSampler,
} from '../../actors/inspect/runtime/runtime-sampler.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { RuntimeSource } from '../../domain/inspect/runtime-source.ts';
import type { StoreFamily } from '../../domain/inspect/wire.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { TelemetrySettings } from '../../providers/telemetry/settings.ts';
import type { SpanRecorder } from '../../providers/telemetry/spans.ts';
import type { TelemetryExportDeps } from '../../providers/telemetry/start-telemetry.ts';
import type { FamilySize, SyncEngineStore } from '../../runtime/engine/ports.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { EffectAttempt, EngineObserver } from '../../runtime/view/observer.ts';
import { addBounds } from '../../store/common/families.ts';
import { recordEffectEnd, recordEffectStart, recordStart } from '../../system/running-work.ts';
import {
  type ToolInterceptor,
  traceCalls,
  watchCalls,
} from '../../tools/service/intercept-calls.ts';
import type { Front } from '../../transport/front/front.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import { type Probe, readyRoute } from '../../transport/routes/health.ts';
import { metricsRoute } from '../../transport/routes/metrics.ts';
import { VERSION } from '../../version.ts';
import type { Stalls } from '../server/process-monitor.ts';
import { openMeters } from './meters.ts';

/** Most due timers that are counted. */
const DUE_COUNTED_MAX = 1_000;

/** The monitored components. The functions are called once everything runs. */
interface MonitoredComponents {
  /** The real clock. */
  readonly clock: Clock;
  /** The clock of the actors. */
  readonly actorClock: Clock;
  readonly version: string;
  readonly spans: SpanRecorder | undefined;
  readonly store: {
    readonly engine: SyncEngineStore;
    readonly blobs: { sizes(): readonly FamilySize[] };
    readonly mcp: { sizes(): readonly FamilySize[] };
    readonly proofs: { sizes(): readonly FamilySize[] };
    readonly trust: { sizes(): readonly FamilySize[] };
  };
  engine(): ActorEngine | undefined;
  load(): Pick<RuntimeGauges, 'sessions' | 'streams' | 'consoles' | 'calls'>;
  /** Rejects or returns false when the payment chain does not respond. */
  isChainReachable(): Promise<boolean>;
  isClosing(): boolean;
  /** False while the escrow holds less than the open jobs require. */
  isSolvent(): Promise<boolean>;
  stalls(): Stalls;
}

/** The metrics and traces of a process, for consoles, Prometheus and trace collectors. */
export interface Telemetry {
  readonly source: RuntimeSource;
  readonly observer: EngineObserver;
  /** `/metrics` and `/readyz`. */
  readonly routes: readonly FrontRoute[];
  /** Run around each call of a tool: its record as running work and, if configured, its trace. */
  readonly interceptors: readonly ToolInterceptor[];
  close(): Promise<void>;
}

/** The components that have started so far. */
export interface Running {
  engine?: ActorEngine;
  front?: Pick<Front, 'load' | 'consoles'>;
  isSolvent?: () => Promise<boolean>;
  isClosing: boolean;
}

/** The dependencies of telemetry. */
export interface TelemetryDeps {
  readonly config: { readonly telemetry?: TelemetrySettings };
  readonly chain: PaymentChain;
  /** The clock of the actors. */
  readonly clock: Clock;
  readonly store: MonitoredComponents['store'];
  readonly running: Running;
  readonly stalls: () => Stalls;
  /** Receives one line of text for the operator. */
  notice(line: string): void;
}

/**
 * Starts to collect metrics, and traces if the operator has configured a collector.
 *
 * @throws {AppError} `NOT_CONFIGURED` when the tracing packages are missing.
 */
export async function openTelemetry(parts: TelemetryDeps): Promise<Telemetry> {
  const { config, chain, clock, store, running, notice } = parts;
  const { telemetry: settings } = config;
  const around = { version: VERSION, now: clock.now, notice };
  const traces = settings === undefined ? undefined : await openTraces({ settings, ...around });
  const telemetry = startTelemetry({
    clock: systemClock(),
    actorClock: clock,
    version: VERSION,
    spans: traces?.spans,
    store,
    engine: () => running.engine,
    load: () => ({
      consoles: running.front?.consoles() ?? 0,
      ...(running.front?.load() ?? { sessions: 0, streams: 0, calls: 0 }),
    }),
    isChainReachable: async () => (await chain.balance(chain.facts.treasury)) !== '',
    isClosing: () => running.isClosing,
    isSolvent: async () => (await running.isSolvent?.()) ?? true,
    stalls: parts.stalls,
  });
  return {
    ...telemetry,
    close: async () => {
      await telemetry.close();
      await traces?.close();
    },
  };
}

/** Loaded on demand: the OpenTelemetry packages are large and optional. */
async function openTraces(parts: TelemetryExportDeps) {
  const traces = await import('../../providers/telemetry/start-telemetry.ts');
  return await traces.openTelemetry(parts);
}

/** Starts to collect metrics. */
function startTelemetry(watched: MonitoredComponents): Telemetry {
  const { clock, spans, version, store } = watched;
  const meters = openMeters();
  const counters = new RuntimeCounters(meters.now, effectProvider);
  const gauges = (): RuntimeGauges => ({
    ...readEngineGauges(watched),
    ...meters.memory(),
    loopDelayP99Ms: meters.loopDelayP99Ms(),
    ...watched.load(),
  });
  const sampler = new RuntimeSampler({
    clock,
    counters,
    gauges,
    families: () => collectFamilySizes(store),
  });
  sampler.start();
  const scrape = () =>
    collectMetrics({
      counters,
      version,
      startedAt: meters.startedAt,
      gauges,
      families: () => sampler.families(),
      hasRoom: () => store.engine.hasRoom(),
      cpuSeconds: meters.cpuSeconds,
      stalls: watched.stalls,
    });
  return {
    source: sampler,
    observer: trackEffects(spans === undefined ? counters : combineObservers(counters, spans)),
    routes: [metricsRoute(scrape), readyRoute(createProbes(watched), clock)],
    interceptors: [
      ...(spans === undefined ? [] : [traceCalls(spans)]),
      watchCalls((name) => recordStart('tool', name)),
    ],
    close: async () => {
      sampler.stop();
      meters.stop();
    },
  };
}

function readEngineGauges({ engine, store, actorClock }: MonitoredComponents) {
  const stats = engine()?.stats();
  const now = actorClock.now();
  const isDue = (stats?.nextDue ?? Number.POSITIVE_INFINITY) <= now;
  return {
    pendingCommits: stats?.pendingCommits ?? 0,
    liveActors: stats?.live ?? 0,
    runningEffects: stats?.runningEffects ?? 0,
    timers: store.engine.sizes?.().find(({ family }) => family === 'timers')?.rows ?? 0,
    timersDue: isDue ? store.engine.dueTimers(now, DUE_COUNTED_MAX).length : 0,
  };
}

function collectFamilySizes(store: MonitoredComponents['store']): readonly StoreFamily[] {
  return [
    ...addBounds('actors', store.engine.sizes?.() ?? []),
    ...addBounds('blobs', store.blobs.sizes()),
    ...addBounds('mcp', store.mcp.sizes()),
    ...addBounds('proofs', store.proofs.sizes()),
    ...addBounds('trust', store.trust.sizes()),
  ];
}

function createProbes({
  store,
  isChainReachable,
  isClosing,
  isSolvent,
}: MonitoredComponents): readonly Probe[] {
  return [
    {
      part: 'store',
      fault: 'rejects writes, or the disk reserve is reached',
      isReady: async () => {
        if (!store.engine.hasRoom()) return false;
        // An empty commit takes the path of every commit and changes nothing.
        await store.engine.commit([]);
        return true;
      },
    },
    { part: 'chain', fault: 'does not respond', isReady: isChainReachable },
    {
      part: 'solvency',
      fault: 'the escrow holds less than the open jobs need',
      isReady: isSolvent,
    },
    { part: 'process', fault: 'is shutting down', isReady: async () => !isClosing() },
  ];
}

/** Reports running effects to the event loop watchdog. */
function trackEffects(observer: EngineObserver): EngineObserver {
  return {
    now: () => observer.now(),
    committed: (ms) => observer.committed(ms),
    recorded: (entry, trace) => observer.recorded(entry, trace),
    timerFired: (lateMs) => observer.timerFired(lateMs),
    effectBegan: (attempt) => {
      recordEffectStart(attempt, () => `${attempt.kind}/${attempt.src} of ${attempt.actorId}`);
      observer.effectBegan(attempt);
    },
    effectEnded: (attempt, end, ms) => {
      recordEffectEnd(attempt);
      observer.effectEnded(attempt, end, ms);
    },
  };
}

function combineObservers(counters: RuntimeCounters, spans: SpanRecorder): EngineObserver {
  return {
    now: counters.now,
    committed: (ms) => counters.committed(ms),
    recorded: (entry, trace) => {
      counters.recorded(entry);
      spans.recorded(entry, trace);
    },
    timerFired: (lateMs) => counters.timerFired(lateMs),
    effectBegan: (attempt) => {
      counters.effectBegan(attempt);
      spans.effectBegan(attempt);
    },
    effectEnded: (attempt, end, ms) => {
      counters.effectEnded(attempt, end, ms);
      spans.effectEnded(attempt, end);
    },
  };
}

/**
 * Returns the external system of an effect: the chain, an LLM vendor, another kind of seat, or
 * disk.
 */
function effectProvider({ kind, src, input }: EffectAttempt): string {
  if (kind === 'payment') return 'chain';
  if (kind !== 'debate') return 'own';
  if (src !== 'turn') return 'blobs';
  const { seat } = input as { readonly seat: { readonly kind: string; readonly model: string } };
  return seat.kind === 'llm' ? (seat.model.split(':')[0] ?? 'llm') : seat.kind;
}
