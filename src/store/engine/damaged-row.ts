import type { Key } from 'lmdb';
import { EngineError } from '../../runtime/engine/error.ts';

/** Where each family of an engine store has the actor's id in its keys; negative from the end. */
const ID_PLACES: Readonly<Record<string, number>> = {
  index: 1,
  due: -2,
  ended: -1,
  facets: -1,
  waiting: -1,
  lanes: -1,
  search: -1,
};
/** Families whose rows belong to no actor. */
const SHARED: readonly string[] = [
  'dead',
  'expiry',
  'feed',
  'marks',
  'meta',
  'rates',
  'ratesDue',
  'schedules',
];

/** A row that cannot be read. */
interface DamagedRow {
  readonly file: string;
  readonly family: string;
  /** Absent if the key itself is damaged. */
  readonly key: Key | undefined;
  /** Such as `its checksum does not match`. */
  readonly reason: string;
  /** Such as `page 17, row 3`. */
  readonly place?: string;
}

/** Creates the error for a row that cannot be read. */
export function damagedRowError({ file, family, key, reason, place }: DamagedRow): EngineError {
  const actor = key === undefined ? undefined : findActor(family, key);
  const isNumbered = family === 'journal' || family === 'snapshots';
  const seq = isNumbered && Array.isArray(key) ? Number(key[1]) : 0;
  const name = JSON.stringify(key) ?? 'with an unreadable key';
  const at = place === undefined ? '' : ` (${place})`;
  const subject = actor === undefined ? '' : ` of the actor ${actor}`;
  const rest = actor === undefined ? 'All other rows' : 'All other actors';
  const whole = seq > 1 ? `, and rows of this actor before ${seq},` : '';
  const message =
    `The row ${name}${at} in ${family}${subject} is damaged: ${reason}. ` +
    `${rest}${whole} can still be read. The file is ${file}.`;
  const data = {
    file,
    family,
    key: name,
    ...(place === undefined ? {} : { place }),
    ...(actor === undefined ? {} : { actor }),
    ...(seq > 1 ? { readableUpTo: seq - 1 } : {}),
  };
  return new EngineError('DATA_DAMAGED', message, { data });
}

/** Returns the actor that a row belongs to, if its family has one. */
export function findActor(family: string, key: Key): string | undefined {
  if (SHARED.includes(family)) return undefined;
  if (!Array.isArray(key)) return String(key);
  return String(key.at(ID_PLACES[family] ?? 0));
}

/** Damaged rows that are remembered as reported. */
const REPORTED_MAX = 1_000;

/** Reports each damaged row once, also to a listener that comes later. */
export class DamageReport {
  readonly #reported = new Map<string, EngineError>();
  #listener: ((damage: EngineError) => void) | undefined;

  /** Reports a row. Above 1,000 rows, a row can be reported more than once. */
  readonly add = (damage: EngineError): void => {
    const { family, key } = damage.data;
    const name = JSON.stringify([family, key]);
    if (this.#reported.has(name)) return;
    if (this.#reported.size < REPORTED_MAX) this.#reported.set(name, damage);
    this.#listener?.(damage);
  };

  /** Calls the listener for every row, from now on and so far. */
  watch(listener: (damage: EngineError) => void): void {
    this.#listener = listener;
    for (const damage of this.#reported.values()) listener(damage);
  }
}
