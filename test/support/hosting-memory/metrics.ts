import { SECOND_MS } from '../../../src/domain/common/time.ts';
import type { HostingProvider, MetricQuery } from '../../../src/domain/hosting/hosting.ts';
import type { PlanLimits } from '../../../src/domain/hosting/plans.ts';
import {
  KEY_VALUE_PLANS,
  parsePostgresLimits,
  SERVICE_PLANS,
} from '../../../src/domain/hosting/plans.ts';
import type { TimeSeries } from '../../../src/domain/hosting/records.ts';
import { METRIC_UNITS, type MetricType } from '../../../src/domain/hosting/value-sets.ts';
import { invalidParameter, missingResourceError } from './paging.ts';
import type { MemoryState } from './state.ts';

const RESOLUTION_MIN_SEC = 30;
const BYTES_PER_MIB = 1_048_576;
/** Constant usage, as a share of the limit. */
const USED_SHARE = 0.25;

/**
 * Returns constant series: a quarter of the limit is used, and there are no requests or
 * connections.
 */
export function createMemoryMetrics(state: MemoryState): HostingProvider['metrics'] {
  return { series: async (query) => createSeries(state, query) };
}

function createSeries(state: MemoryState, query: MetricQuery): readonly TimeSeries[] {
  const { resourceId, type, resolutionSec, start, end } = query;
  const limits = getLimits(state, resourceId);
  if (!Number.isInteger(resolutionSec) || resolutionSec < RESOLUTION_MIN_SEC) {
    throw invalidParameter('resolutionSec', resolutionSec, `at least ${RESOLUTION_MIN_SEC}`);
  }
  const value = getValue(type, limits, state.services.has(resourceId));
  if (value === undefined) return [];
  const values: { readonly timestamp: string; readonly value: number }[] = [];
  const stepMs = resolutionSec * SECOND_MS;
  for (let at = Math.ceil(start / stepMs) * stepMs; at < end; at += stepMs) {
    values.push({ timestamp: new Date(at).toISOString(), value });
  }
  if (values.length === 0) return [];
  return [{ labels: [{ field: 'resource', value: resourceId }], values, unit: METRIC_UNITS[type] }];
}

function getValue(type: MetricType, limits: PlanLimits, isService: boolean): number | undefined {
  switch (type) {
    case 'http_request_count':
    case 'http_latency':
    case 'bandwidth_usage':
      return isService ? 0 : undefined;
    case 'cpu_limit':
      return limits.cpu;
    case 'memory_limit':
      return limits.memoryMib * BYTES_PER_MIB;
    case 'cpu_usage':
      return limits.cpu * USED_SHARE;
    case 'memory_usage':
      return limits.memoryMib * BYTES_PER_MIB * USED_SHARE;
    case 'instance_count':
      return 1;
    case 'active_connections':
      return isService ? undefined : 0;
    case 'cpu_target':
    case 'memory_target':
      return undefined;
  }
}

function getLimits({ services, postgres, keyValue }: MemoryState, id: string): PlanLimits {
  const service = services.get(id)?.item.serviceDetails;
  if (service !== undefined) return 'plan' in service ? SERVICE_PLANS[service.plan] : NO_LIMITS;
  const database = postgres.get(id)?.item;
  if (database !== undefined) return parsePostgresLimits(database.plan);
  const instance = keyValue.get(id)?.item;
  if (instance !== undefined) return KEY_VALUE_PLANS[instance.plan];
  throw missingResourceError(id);
}

const NO_LIMITS: PlanLimits = { cpu: 0, memoryMib: 0 };
