import { AppError } from '../../domain/common/error.ts';
import type { EventQuery, Paged } from '../../domain/hosting/hosting.ts';
import type { ServiceEvent } from '../../domain/hosting/records.ts';
import type { JournaledEvent, ServiceHistory } from '../../domain/hosting/service-history.ts';
import type { FamilySize } from '../../runtime/engine/ports.ts';
import { Environment } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import { JsonTable, type KeyedRow } from '../common/json-table.ts';

const FORMAT = 1;
/** Maximum events kept per service; the oldest are dropped first. */
export const SERVICE_EVENTS_MAX = 10_000;
/** Rows read or removed per batch. */
const BATCH = 1_000;
/** Maximum events per page. */
const LIMIT_MAX = 100;
/** Sorts after every number and text of a key. */
const KEY_END = '\uffff';

type EventKey = (string | number)[];

/** The service history on disk. */
export interface HostingEvents extends ServiceHistory {
  sizes(): readonly FamilySize[];
  close(): Promise<void>;
}

/**
 * Opens the service history.
 *
 * @throws {EngineError} `STORE_NEWER` if a newer program has written to this store.
 */
export function openHostingEvents(options: EnvironmentOptions): HostingEvents {
  return new LmdbEvents(new Environment(options, FORMAT));
}

class LmdbEvents implements HostingEvents {
  readonly #environment: Environment;
  /** `[service, at, globalSeq, n]` */
  readonly #events: JsonTable<EventKey, ServiceEvent>;
  readonly #marks: JsonTable<string, number>;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#events = new JsonTable(environment, 'service-events');
    this.#marks = new JsonTable(environment, 'service-event-marks');
  }

  get position(): number {
    return this.#marks.get('position') ?? 0;
  }

  async append(events: readonly JournaledEvent[], position: number): Promise<void> {
    const services = new Set(events.map(({ event }) => event.serviceId));
    await this.#environment.commit([
      ...events.map((one) => this.#events.change(toKey(one), one.event)),
      this.#marks.change('position', position),
    ]);
    for (const serviceId of services) await this.#trimService(serviceId);
  }

  list(query: EventQuery): Paged<ServiceEvent> {
    const { serviceId, limit, types, start = 0 } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX) {
      throw invalidParameter('limit', limit, `an integer from 1 to ${LIMIT_MAX}`);
    }
    const found: KeyedRow<EventKey, ServiceEvent>[] = [];
    let until = pageStart(query);
    while (found.length <= limit) {
      const rows = this.#events.before(until, { least: [serviceId, start], limit: BATCH });
      for (const one of rows) if (types?.includes(one.row.type) !== false) found.push(one);
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) break;
      until = last.key;
    }
    const items = found
      .slice(0, limit)
      .map(({ key, row }) => ({ item: row, cursor: toCursor(key) }));
    return { items, hasMore: found.length > limit };
  }

  async trim(before: number): Promise<number> {
    const old: EventKey[] = [];
    let from: EventKey = [];
    while (old.length < BATCH) {
      const [first] = this.#events.list({ start: from, limit: 1 });
      if (first === undefined) break;
      const [serviceId = ''] = first.key;
      const rows = this.#events.list({
        start: [serviceId],
        end: [serviceId, before],
        limit: BATCH,
      });
      old.push(...rows.map(({ key }) => key));
      from = [serviceId, KEY_END];
    }
    if (old.length > 0) await this.#events.remove(old);
    return old.length;
  }

  sizes(): readonly FamilySize[] {
    return this.#environment.sizes();
  }

  close(): Promise<void> {
    return this.#environment.close();
  }

  /** Removes the events beyond the limit of a service. */
  async #trimService(serviceId: string): Promise<void> {
    const range = { start: [serviceId], end: [serviceId, KEY_END] };
    const excess = this.#events.countIn(range) - SERVICE_EVENTS_MAX;
    if (excess <= 0) return;
    const rows = this.#events.list({ ...range, limit: excess });
    await this.#events.remove(rows.map(({ key }) => key));
  }
}

function toKey({ event, globalSeq, n }: JournaledEvent): EventKey {
  return [event.serviceId, Date.parse(event.timestamp), globalSeq, n];
}

function toCursor([, ...place]: EventKey): string {
  return place.join('.');
}

function parseCursor(cursor: string): readonly number[] | undefined {
  if (cursor === '') return undefined;
  if (!/^\d{1,15}\.\d{1,15}\.\d{1,4}$/.test(cursor)) {
    throw invalidParameter('cursor', cursor.slice(0, 80), 'the cursor of the previous page');
  }
  return cursor.split('.').map(Number);
}

function invalidParameter(path: string, received: string | number, allowed: string): AppError {
  const message = `${path}: received ${JSON.stringify(received)}, allowed: ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}

/**
 * Returns the start of a page, from the newest event. A cursor later than `end` does not widen the
 * range.
 */
function pageStart({
  serviceId,
  cursor = '',
  end = Number.MAX_SAFE_INTEGER,
}: EventQuery): EventKey {
  const after = parseCursor(cursor);
  const isWithin = after !== undefined && (after[0] ?? 0) <= end;
  return isWithin ? [serviceId, ...after] : [serviceId, end, KEY_END];
}
