import type { QueuedRow } from '../engine/types.ts';
import type { WaitingPlace, WaitingRow } from './queue-ports.ts';
import { PRIORITY_MAX } from './queue-types.ts';

/** Returns the public form of a waiting row. */
export function toQueuedRow({ queue, id, kind, key, rank, at }: WaitingRow): QueuedRow {
  const priority = PRIORITY_MAX - rank;
  return { queue, id, kind, ...(key === '' ? {} : { key }), priority, at };
}

/** Returns the cursor after a row. */
export function toCursor({ rank, arrival, id }: WaitingRow): string {
  return `${rank}\n${arrival}\n${id}`;
}

/** Parses a cursor to its place in the queue; `undefined` means the start. */
export function parseCursor(cursor: string | undefined): WaitingPlace | undefined {
  if (cursor === undefined) return undefined;
  const [rank = '', arrival = '', id = ''] = cursor.split('\n');
  return { rank: Number(rank), arrival: Number(arrival), id };
}
