import type { JsonObject } from '../../../../src/domain/common/json.ts';
import type { PanelSeat } from '../../../../src/domain/inspect/wire.ts';

/** Live text by seat. It may have gaps; the finished turn is complete. */
export type LiveText = ReadonlyMap<string, string>;

/** Most characters kept per seat; the oldest are dropped. */
export const LIVE_TEXT_CHARS_MAX = 4000;

/** Appends a live text event. */
export function appendLiveText(before: LiveText, event: JsonObject): LiveText {
  const { text } = event;
  const seat = readSeat(event);
  if (seat === null || typeof text !== 'string') return before;
  const words = `${before.get(seat) ?? ''}${text}`.slice(-LIVE_TEXT_CHARS_MAX);
  return new Map(before).set(seat, words);
}

/** Drops the text of seats that have finished speaking. */
export function dropFinished(before: LiveText, seats: readonly PanelSeat[]): LiveText {
  const speaking = new Set(
    seats.flatMap(({ seat, state }) => (state === 'speaking' ? [seat] : [])),
  );
  const kept = [...before].filter(([seat]) => speaking.has(seat));
  return kept.length === before.size ? before : new Map(kept);
}

// A turn's id is `panel/phase/round/seat`.
function readSeat({ seat, turnId }: JsonObject): string | null {
  if (typeof seat === 'string') return seat;
  return typeof turnId === 'string' ? (turnId.split('/').at(-1) ?? null) : null;
}
