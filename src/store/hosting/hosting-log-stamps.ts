import { DAY_MS } from '../../domain/common/time.ts';
import { MILLI_NANOS } from '../../domain/hosting/telemetry/log-time.ts';
import { type Lane, laneName } from './hosting-log-day.ts';
import { textHash } from './path-bloom.ts';

/** Lanes share this many slots, by hash; the last digits of a place are the number of the slot. */
const SLOTS = 1_000;
/** Lines of a slot in one millisecond; one more is dated a millisecond later. */
const LINES_PER_MS = MILLI_NANOS / SLOTS;

/** When and where a line stands: unique over all lanes of a day. */
export interface Stamp {
  readonly day: number;
  readonly nano: number;
}

/**
 * Gives each line its place in time. Within a lane each is behind the one before, whatever the
 * times
 * say; no two lines of a day have the same, so that a page of several lanes can end at any of them.
 */
export class LogStamps {
  /** Last place of each slot in the present day, in counts of the slot's own places. */
  readonly #last = new Float64Array(SLOTS);
  readonly #slots = new Map<string, number>();
  #day: number;

  /**
   * @param day - The day that is written.
   * @param behind - Nanoseconds of the day; every place will be behind it.
   */
  constructor(day: number, behind: number) {
    this.#day = day;
    this.#last.fill(Math.ceil(behind / SLOTS) - 1);
  }

  get day(): number {
    return this.#day;
  }

  /** @param at - Milliseconds since 1970. A time before the present day is its begin. */
  next(lane: Lane, at: number): Stamp {
    const day = Math.max(this.#day, Math.floor(at / DAY_MS));
    if (day > this.#day) this.#begin(day);
    const slot = this.#slotOf(lane);
    const ms = Math.max(0, at - day * DAY_MS);
    const place = Math.max(ms * LINES_PER_MS, (this.#last[slot] ?? -1) + 1);
    if (place >= DAY_MS * LINES_PER_MS) {
      this.#begin(day + 1);
      return this.next(lane, (day + 1) * DAY_MS);
    }
    this.#last[slot] = place;
    return { day, nano: place * SLOTS + slot };
  }

  #begin(day: number): void {
    this.#day = day;
    this.#last.fill(-1);
  }

  #slotOf(lane: Lane): number {
    const name = laneName(lane);
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    if (this.#slots.size >= SLOTS * 10) this.#slots.clear();
    const slot = textHash(name) % SLOTS;
    this.#slots.set(name, slot);
    return slot;
  }
}
