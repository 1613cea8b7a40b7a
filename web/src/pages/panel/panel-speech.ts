import type { JsonObject } from '../../../../src/domain/common/json.ts';
import type { PanelSeat } from '../../../../src/domain/inspect/wire.ts';

/** Live text by seat. It may have gaps; the finished turn is complete. */
export type Speech = ReadonlyMap<string, string>;

/** Most characters kept per seat; the oldest are dropped. */
export const SPEECH_CHARS_MAX = 4000;

/** Appends a live text event. */
export function withShown(before: Speech, event: JsonObject): Speech {
  const { text } = event;
  const seat = seatOf(event);
  if (seat === null || typeof text !== 'string') return before;
  const words = `${before.get(seat) ?? ''}${text}`.slice(-SPEECH_CHARS_MAX);
  return new Map(before).set(seat, words);
}

/** Drops the text of seats that have finished speaking. */
export function withoutSpoken(before: Speech, seats: readonly PanelSeat[]): Speech {
  const speaking = new Set(
    seats.flatMap(({ seat, state }) => (state === 'speaking' ? [seat] : [])),
  );
  const kept = [...before].filter(([seat]) => speaking.has(seat));
  return kept.length === before.size ? before : new Map(kept);
}

// A turn's id is `panel/phase/round/seat`.
function seatOf({ seat, turnId }: JsonObject): string | null {
  if (typeof seat === 'string') return seat;
  return typeof turnId === 'string' ? (turnId.split('/').at(-1) ?? null) : null;
}
