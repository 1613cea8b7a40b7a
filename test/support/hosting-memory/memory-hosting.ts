import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { EventType } from '../../../src/domain/hosting/event-types.ts';
import type {
  EventQuery,
  FeatureAvailability,
  HostingFeatures,
  HostingProvider,
} from '../../../src/domain/hosting/hosting.ts';
import type { FailureReason, LogLabels } from '../../../src/domain/hosting/records.ts';
import type { Runtime } from '../../../src/domain/hosting/value-sets.ts';
import { createMemoryKeyValue, createMemoryPostgres } from './databases.ts';
import { MemoryDeploys } from './deploys.ts';
import { createMemoryLogs, writeLine } from './logs.ts';
import { createMemoryMetrics } from './metrics.ts';
import { missingResourceError, toPage } from './paging.ts';
import { createMemoryServices } from './services.ts';
import {
  createMemoryState,
  type FailingStep,
  type MemoryHostingOptions,
  type MemoryState,
} from './state.ts';

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
const AVAILABLE: FeatureAvailability = { able: true, version: 'memory' };

/**
 * Creates a provider that keeps records in memory and runs nothing: deploys and databases advance
 * with the clock. For tests of the layers above a provider; ids come from the given random source.
 */
export function createMemoryHosting(options: MemoryHostingOptions): MemoryHosting {
  const state = createMemoryState(options);
  const deploys = new MemoryDeploys(state);
  return {
    id: 'memory',
    listFeatures: async () => ({ ...DEFAULT_ABILITIES, ...options.abilities }),
    workspaces: createWorkspaces(state),
    services: createMemoryServices(state, deploys),
    deploys: deploys.port,
    events: { list: async (query) => listEvents(state, query) },
    logs: createMemoryLogs(state),
    metrics: createMemoryMetrics(state),
    postgres: createMemoryPostgres(state),
    keyValue: createMemoryKeyValue(state),
    close: async () => undefined,
    failNext: (serviceId, step, reason) => {
      const service = state.services.get(serviceId);
      if (service === undefined) throw missingResourceError(serviceId);
      service.failing.set(step, reason);
    },
    log: (labels, message) => {
      writeLine(state, labels, message);
    },
    tell: state.tell,
  };
}

const DEFAULT_ABILITIES: HostingFeatures = {
  runtimes: {
    node: AVAILABLE,
    python: AVAILABLE,
    go: AVAILABLE,
    rust: AVAILABLE,
    ruby: AVAILABLE,
    elixir: AVAILABLE,
    docker: AVAILABLE,
  } satisfies Record<Runtime, FeatureAvailability>,
  postgres: Object.fromEntries(POSTGRES_MAJORS.map((major) => [major, AVAILABLE])),
  keyValue: AVAILABLE,
  regions: 'Everything runs in the memory of one process; a region is only a label.',
};

function createWorkspaces({ options }: MemoryState): HostingProvider['workspaces'] {
  const rows = options.workspaces.map((item, seq) => ({ seq, item }));
  return {
    list: async (page) => toPage(rows, page, 'oldest'),
    get: async (id) => {
      const found = options.workspaces.find((workspace) => workspace.id === id);
      if (found === undefined) throw missingResourceError(id);
      return found;
    },
  };
}

function listEvents(state: MemoryState, query: EventQuery) {
  const { serviceId, types, start, end } = query;
  if (!state.services.has(serviceId)) throw missingResourceError(serviceId);
  const rows = state.events.filter(({ item }) => {
    const at = Date.parse(item.timestamp);
    const isWithin = at >= (start ?? at) && at <= (end ?? at);
    const isOne = types === undefined || types.includes(item.type);
    return item.serviceId === serviceId && isWithin && isOne;
  });
  return toPage(rows, query, 'newest');
}
