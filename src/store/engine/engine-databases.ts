import type { Environment } from '../common/environment.ts';
import type { TextTable } from '../common/text-table.ts';

/** The key families of an engine store. Each is listed in docs/retention.md. */
export interface EngineDatabases {
  /** `[id, seq]` */
  readonly journal: TextTable;
  /** `globalSeq` to `[id, seq]` */
  readonly feed: TextTable;
  /** `[id, seq]` */
  readonly snapshots: TextTable;
  /** `[id, timerId]` */
  readonly timers: TextTable;
  /** `[due, order, id, timerId]`; `[due, id, timerId]` from older programs */
  readonly due: TextTable;
  /** `[id, childId]` */
  readonly effects: TextTable;
  /** `[id, childId]` */
  readonly crashes: TextTable;
  /** `[from, fromSeq, n]` */
  readonly outbox: TextTable;
  /** `[id, key]` */
  readonly idempotency: TextTable;
  /** `[expires, id, key]` */
  readonly expiry: TextTable;
  /** `deadLetterId`, which begins with the time */
  readonly dead: TextTable;
  /** `[kind, id]` */
  readonly index: TextTable;
  /** `[at, kind, id]` of actors that have ended */
  readonly ended: TextTable;
  /** `[kind, facet, value, id]`: actors by state and by status */
  readonly facets: TextTable;
  /** `[queue, rank, arrival, id]` */
  readonly waiting: TextTable;
  /** `[queue, key, rank, arrival, id]` */
  readonly lanes: TextTable;
  /** `id` to the key of its waiting row */
  readonly waitingIds: TextTable;
  /** `id` of running queued actors */
  readonly slots: TextTable;
  /** `[queue, key]` */
  readonly rates: TextTable;
  /** `[freshAt, queue, key]` */
  readonly ratesDue: TextTable;
  /** `name` */
  readonly schedules: TextTable;
  /** Single values by name. */
  readonly marks: TextTable;
}

/** Opens every key family of an engine store, and creates those that are missing. */
export function openEngineDatabases(environment: Environment): EngineDatabases {
  return {
    journal: environment.openTable('journal'),
    feed: environment.openTable('feed'),
    snapshots: environment.openTable('snapshots'),
    timers: environment.openTable('timers'),
    due: environment.openTable('due'),
    effects: environment.openTable('effects'),
    crashes: environment.openTable('crashes'),
    outbox: environment.openTable('outbox'),
    idempotency: environment.openTable('idempotency'),
    expiry: environment.openTable('expiry'),
    dead: environment.openTable('dead'),
    index: environment.openTable('index'),
    ended: environment.openTable('ended'),
    facets: environment.openTable('facets'),
    waiting: environment.openTable('waiting'),
    lanes: environment.openTable('lanes'),
    waitingIds: environment.openTable('waitingIds'),
    slots: environment.openTable('slots'),
    rates: environment.openTable('rates'),
    ratesDue: environment.openTable('ratesDue'),
    schedules: environment.openTable('schedules'),
    marks: environment.openTable('marks'),
  };
}
