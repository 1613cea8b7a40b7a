import type { Clock } from '../../../src/domain/common/clock.ts';
import type { JsonObject } from '../../../src/domain/common/json.ts';
import type { Random } from '../../../src/domain/common/random.ts';
import type { EnvVarOrder } from '../../../src/domain/hosting/env-vars.ts';
import type { HostingFeatures } from '../../../src/domain/hosting/hosting.ts';
import { createHostedId } from '../../../src/domain/hosting/ids.ts';
import type {
  Deploy,
  FailureReason,
  KeyValue,
  LogLine,
  Postgres,
  Service,
  ServiceEvent,
  SqlResult,
  Workspace,
} from '../../../src/domain/hosting/records.ts';
import type { StoredRow } from './paging.ts';

/** Steps of a deploy that a test can make fail. */
export type FailingStep = 'build' | 'pre_deploy' | 'update';

/** Options of an in-memory provider. */
export interface MemoryHostingOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly workspaces: readonly Workspace[];
  /** Duration of each deploy step and of a database start, in milliseconds. */
  readonly stepMs?: number;
  readonly abilities?: Partial<HostingFeatures>;
  /** Origin of the console, without a trailing slash. */
  readonly origin?: () => string;
  /** Answers SQL statements; without it every statement is rejected. */
  readonly sql?: (sql: string, signal: AbortSignal) => Promise<SqlResult>;
}

/** A service with data that is not part of its record. */
export interface StoredService extends StoredRow<Service> {
  vars: readonly EnvVarOrder[];
  /** Steps that fail the next time they run, with the reason. */
  readonly failing: Map<FailingStep, FailureReason>;
}

/** A database with data that is not part of its record. */
export interface StoredDatabase<Item> extends StoredRow<Item> {
  readonly password: string;
}

/** State of an in-memory provider. */
export interface MemoryState {
  readonly options: MemoryHostingOptions;
  readonly stepMs: number;
  readonly origin: () => string;
  readonly services: Map<string, StoredService>;
  readonly deploys: Map<string, StoredRow<Deploy>>;
  readonly events: StoredRow<ServiceEvent>[];
  readonly lines: LogLine[];
  readonly postgres: Map<string, StoredDatabase<Postgres>>;
  readonly keyValue: Map<string, StoredDatabase<KeyValue>>;
  /** Returns the next sequence number. */
  next(): number;
  now(): string;
  tell(serviceId: string, type: ServiceEvent['type'], details?: JsonObject): void;
}

const STEP_MS = 1_000;
const ORIGIN = 'http://127.0.0.1';

/** Creates an empty state. */
export function createMemoryState(options: MemoryHostingOptions): MemoryState {
  const { clock, random, stepMs = STEP_MS, origin = () => ORIGIN } = options;
  let seq = 0;
  const next = (): number => {
    seq += 1;
    return seq;
  };
  const now = (): string => new Date(clock.now()).toISOString();
  const events: StoredRow<ServiceEvent>[] = [];
  return {
    options,
    stepMs,
    origin,
    services: new Map(),
    deploys: new Map(),
    events,
    lines: [],
    postgres: new Map(),
    keyValue: new Map(),
    next,
    now,
    tell: (serviceId, type, details = {}) => {
      const id = createHostedId('event', random);
      events.push({ seq: next(), item: { id, serviceId, timestamp: now(), type, details } });
    },
  };
}
