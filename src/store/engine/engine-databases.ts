import type { Environment } from '../common/environment.ts';
import type { RowSeals } from '../common/open-lmdb.ts';
import type { TextTable } from '../common/text-table.ts';
import { type EngineFamily, KEY_ONLY } from './family-contents.ts';

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
  /** `[kind, attribute, value, id]` */
  readonly search: TextTable;
  /** `[root, systemId]` */
  readonly systems: TextTable;
  /** Single values by name. */
  readonly marks: TextTable;
}

/** Opens every key family of an engine store, and creates those that are missing. */
export function openEngineDatabases(environment: Environment, seals: RowSeals): EngineDatabases {
  const open = (name: EngineFamily) =>
    environment.openTable(name, { seals, isKeyOnly: KEY_ONLY.has(name) });
  return {
    journal: open('journal'),
    feed: open('feed'),
    snapshots: open('snapshots'),
    timers: open('timers'),
    due: open('due'),
    effects: open('effects'),
    crashes: open('crashes'),
    outbox: open('outbox'),
    idempotency: open('idempotency'),
    expiry: open('expiry'),
    dead: open('dead'),
    index: open('index'),
    ended: open('ended'),
    facets: open('facets'),
    waiting: open('waiting'),
    lanes: open('lanes'),
    waitingIds: open('waitingIds'),
    slots: open('slots'),
    rates: open('rates'),
    ratesDue: open('ratesDue'),
    schedules: open('schedules'),
    search: open('search'),
    systems: open('systems'),
    marks: open('marks'),
  };
}
