import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { EventType, FailureReason } from '../../../src/domain/hosting/event-types.ts';
import type {
  Ability,
  EventQuery,
  HostingAbilities,
  HostingProvider,
} from '../../../src/domain/hosting/hosting.ts';
import type { LogLabels } from '../../../src/domain/hosting/records.ts';
import type { Runtime } from '../../../src/domain/hosting/value-sets.ts';
import { MemoryDeploys } from './deploys.ts';
import { memoryLogs, writeLine } from './logs.ts';
import { memoryMetrics } from './metrics.ts';
import { pageOf, unknown } from './paging.ts';
import { memoryServices } from './services.ts';
import {
  type FailingStep,
  type MemoryHostingOptions,
  type MemoryState,
  memoryState,
} from './state.ts';
import { memoryKeyValue, memoryPostgres } from './stores.ts';

/** An in-memory provider with controls for tests. */
export interface MemoryHosting extends HostingProvider {
  /** Makes a step of a service's next deploy fail. */
  failNext(serviceId: string, step: FailingStep, reason: FailureReason): void;
  /** Writes a log line at the current time. */
  log(labels: LogLabels, message: string): void;
  /** Writes an event at the current time. */
  tell(serviceId: string, type: EventType, details?: JsonObject): void;
}

const POSTGRES_MAJORS = [13, 14, 15, 16, 17, 18] as const;
const ABLE: Ability = { able: true, version: 'memory' };

/**
 * Creates a provider that keeps records in memory and runs nothing: deploys and databases advance
 * with the clock. For tests of the layers above a provider; ids come from the given random source.
 */
export function createMemoryHosting(options: MemoryHostingOptions): MemoryHosting {
  const state = memoryState(options);
  const deploys = new MemoryDeploys(state);
  return {
    id: 'memory',
    abilities: async () => ({ ...DEFAULT_ABILITIES, ...options.abilities }),
    workspaces: memoryWorkspaces(state),
    services: memoryServices(state, deploys),
    deploys: deploys.port,
    events: { list: async (query) => listEvents(state, query) },
    logs: memoryLogs(state),
    metrics: memoryMetrics(state),
    postgres: memoryPostgres(state),
    keyValue: memoryKeyValue(state),
    close: async () => undefined,
    failNext: (serviceId, step, reason) => {
      const service = state.services.get(serviceId);
      if (service === undefined) throw unknown(serviceId);
      service.failing.set(step, reason);
    },
    log: (labels, message) => {
      writeLine(state, labels, message);
    },
    tell: state.tell,
  };
}

const DEFAULT_ABILITIES: HostingAbilities = {
  runtimes: {
    ...{ node: ABLE, python: ABLE, go: ABLE, rust: ABLE, ruby: ABLE, elixir: ABLE },
    docker: ABLE,
  } satisfies Record<Runtime, Ability>,
  postgres: Object.fromEntries(POSTGRES_MAJORS.map((major) => [major, ABLE])),
  keyValue: ABLE,
  regions: 'Everything runs in the memory of one process; a region is only a label.',
};

function memoryWorkspaces({ options }: MemoryState): HostingProvider['workspaces'] {
  const rows = options.workspaces.map((item, seq) => ({ seq, item }));
  return {
    list: async (page) => pageOf(rows, page, 'oldest'),
    get: async (id) => {
      const found = options.workspaces.find((workspace) => workspace.id === id);
      if (found === undefined) throw unknown(id);
      return found;
    },
  };
}

function listEvents(state: MemoryState, query: EventQuery) {
  const { serviceId, types, start, end } = query;
  if (!state.services.has(serviceId)) throw unknown(serviceId);
  const rows = state.events.filter(({ item }) => {
    const at = Date.parse(item.timestamp);
    const isWithin = at >= (start ?? at) && at <= (end ?? at);
    const isOne = types === undefined || types.includes(item.type);
    return item.serviceId === serviceId && isWithin && isOne;
  });
  return pageOf(rows, query, 'newest');
}
