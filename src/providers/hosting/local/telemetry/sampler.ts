import type { Clock } from '../../../../domain/common/clock.ts';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type {
  GaugeType,
  HostingMetrics,
} from '../../../../domain/hosting/telemetry/hosting-telemetry.ts';
import type { Runner } from '../run/runner.ts';

/** Interval between samples, in milliseconds. */
const SAMPLE_MS = 10 * SECOND_MS;
const BYTES_PER_MIB = 1_048_576;

/** Dependencies of the sampler. */
export interface SamplerParts {
  readonly runner: Runner;
  readonly metrics: Pick<HostingMetrics, 'recordGauge'>;
  readonly clock: Clock;
  /** Returns the client connections of a resource; `undefined` if they are not counted. */
  readonly connections?: (resource: string, pids: readonly number[]) => number | undefined;
}

/** Samples the usage and limits of running programs. */
export class Sampler {
  readonly #parts: SamplerParts;
  /** Processor time of each run at the previous sample. */
  readonly #previous = new Map<string, { readonly at: number; readonly cpuSeconds: number }>();
  #cancel: () => void = () => undefined;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
    this.#schedule(SECOND_MS);
  }

  stop(): void {
    this.#cancel();
  }

  #schedule(ms: number): void {
    const { clock } = this.#parts;
    this.#cancel = clock.at(clock.now() + ms, () => {
      this.#sample();
      this.#schedule(SAMPLE_MS);
    });
  }

  #sample(): void {
    const { runner, metrics, clock } = this.#parts;
    const at = clock.now();
    const counts = new Map<string, number>();
    for (const name of runner.names()) {
      const now = runner.getState(name);
      if (now.state !== 'running' || now.record.type !== 'app') {
        this.#previous.delete(name);
        continue;
      }
      const { service: resource, instance = name, limits } = now.record;
      const recordGauge = (metric: GaugeType, value: number): void =>
        metrics.recordGauge({ resource, instance, metric, at, value });
      counts.set(resource, (counts.get(resource) ?? 0) + 1);
      recordGauge('cpu_limit', limits.cpu);
      recordGauge('memory_limit', limits.memoryMib * BYTES_PER_MIB);
      const usage = runner.usage(name);
      if (usage === undefined) continue;
      recordGauge('memory_usage', usage.memoryBytes);
      const connections = this.#parts.connections?.(resource, runner.pids(name));
      if (connections !== undefined) recordGauge('active_connections', connections);
      const before = this.#previous.get(name);
      this.#previous.set(name, { at, cpuSeconds: usage.cpuSeconds });
      if (before === undefined || at <= before.at) continue;
      const used = usage.cpuSeconds - before.cpuSeconds;
      recordGauge('cpu_usage', Math.max(0, used / ((at - before.at) / SECOND_MS)));
    }
    for (const [resource, value] of counts) {
      metrics.recordGauge({ resource, metric: 'instance_count', at, value });
    }
  }
}
