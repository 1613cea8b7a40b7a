import { expect } from 'vitest';
import type { MetricQuery } from '../../../src/domain/hosting/hosting.ts';
import { METRIC_TYPES, type MetricType } from '../../../src/domain/hosting/value-sets.ts';
import type { Claims } from './suite.ts';
import { type HostingWorld, keyValueOrder, refused, servedService } from './world.ts';

function query(world: HostingWorld, resourceId: string, type: MetricType): MetricQuery {
  return {
    resourceId,
    type,
    start: world.now() - 3_600_000,
    end: world.now(),
    resolutionSec: 60,
    cpuAggregation: 'AVG',
    latencyQuantile: 0.95,
  };
}

/** Claims about series. */
export const metricClaims: Claims = {
  'the limits of a service are those of its plan': async (world) => {
    const { service } = await servedService(world, { plan: 'standard' });
    const read = async (type: MetricType) => {
      await world.until(
        async () =>
          (await world.provider.metrics.series(query(world, service.id, type))).length > 0,
        `values of ${type}`,
      );
      const [series] = await world.provider.metrics.series(query(world, service.id, type));
      return { value: series?.values.at(-1)?.value, unit: series?.unit };
    };
    expect(await read('cpu_limit')).toEqual({ value: 1, unit: 'cpu' });
    expect(await read('memory_limit')).toEqual({ value: 2_048 * 1_048_576, unit: 'bytes' });
  },

  'values lie within their time, in steps of the resolution, the oldest first': async (world) => {
    const { service } = await servedService(world);
    for (const resolutionSec of [30, 60, 300]) {
      const asked = { ...query(world, service.id, 'cpu_limit'), resolutionSec };
      for (const { values } of await world.provider.metrics.series(asked)) {
        const times = values.map(({ timestamp }) => Date.parse(timestamp));
        expect([...times].sort((a, b) => a - b)).toEqual(times);
        const steps = times.slice(1).map((at, before) => at - (times[before] ?? 0));
        for (const step of steps) expect(step % (resolutionSec * 1_000)).toBe(0);
        for (const at of times) {
          expect(at).toBeGreaterThanOrEqual(asked.start - resolutionSec * 1_000);
          expect(at).toBeLessThan(asked.end);
        }
      }
    }
  },

  'every type of metric is answered; what does not fit has no series': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    for (const type of METRIC_TYPES) {
      expect(Array.isArray(await provider.metrics.series(query(world, service.id, type)))).toBe(
        true,
      );
    }
    const none = await provider.metrics.series(query(world, service.id, 'active_connections'));
    expect(none).toEqual([]);
    if (!(await provider.listFeatures()).keyValue.able) return;
    const { id } = await provider.keyValue.create(keyValueOrder(world));
    for (const type of ['http_request_count', 'http_latency', 'bandwidth_usage'] as const) {
      expect(await provider.metrics.series(query(world, id, type))).toEqual([]);
    }
  },

  'a resolution below 30 s, and what there is not, is refused': async (world) => {
    const { provider } = world;
    const { service } = await servedService(world);
    const fine = { ...query(world, service.id, 'cpu_usage'), resolutionSec: 29 };
    await refused(provider.metrics.series(fine), 'INPUT_INVALID');
    const none = query(world, 'red-00000000000000000000', 'cpu_usage');
    await refused(provider.metrics.series(none), 'RESOURCE_UNKNOWN');
  },
};
