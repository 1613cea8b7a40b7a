import { DAY_MS } from '../../domain/common/time.ts';
import { MILLI_NANOS } from '../../domain/hosting/telemetry/log-time.ts';
import { type Lane, laneKey } from './hosting-log-day.ts';
import { hashText } from './path-bloom.ts';

/**
 * Number of slots shared by all lanes, by hash; the last digits of a position are the slot number.
 */
const SLOTS = 1_000;
/** Lines of a slot per millisecond; further lines are dated a millisecond later. */
const LINES_PER_MS = MILLI_NANOS / SLOTS;

/** Position of a line, unique over all lanes of a day. */
export interface LogPosition {
  readonly day: number;
  readonly nano: number;
}

/**
 * Assigns each line its position in time. Within a lane positions increase, regardless of the
 * lines' timestamps. No two lines of a day share a position, so a page over several lanes can end
 * at any line.
 */
export class LogPositions {
  /** Last position of each slot in the current day, counted in positions of that slot. */
  readonly #last = new Float64Array(SLOTS);
  readonly #slots = new Map<string, number>();
  #day: number;

  /**
   * @param day - The day being written.
   * @param behind - Nanoseconds of the day; every position is after it.
   */
  constructor(day: number, behind: number) {
    this.#day = day;
    this.#last.fill(Math.ceil(behind / SLOTS) - 1);
  }

  get day(): number {
    return this.#day;
  }

  /**
   * Returns the next position of a lane.
   *
   * @param at - Milliseconds since 1970. A time before the current day counts as its start.
   */
  next(lane: Lane, at: number): LogPosition {
    const day = Math.max(this.#day, Math.floor(at / DAY_MS));
    if (day > this.#day) this.#startDay(day);
    const slot = this.#findSlot(lane);
    const ms = Math.max(0, at - day * DAY_MS);
    const position = Math.max(ms * LINES_PER_MS, (this.#last[slot] ?? -1) + 1);
    if (position >= DAY_MS * LINES_PER_MS) {
      this.#startDay(day + 1);
      return this.next(lane, (day + 1) * DAY_MS);
    }
    this.#last[slot] = position;
    return { day, nano: position * SLOTS + slot };
  }

  #startDay(day: number): void {
    this.#day = day;
    this.#last.fill(-1);
  }

  #findSlot(lane: Lane): number {
    const name = laneKey(lane);
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    if (this.#slots.size >= SLOTS * 10) this.#slots.clear();
    const slot = hashText(name) % SLOTS;
    this.#slots.set(name, slot);
    return slot;
  }
}
