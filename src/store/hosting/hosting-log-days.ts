import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { DAY_MS } from '../../domain/common/time.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import { LogDay } from './hosting-log-day.ts';

/** Retention limits of the logs. */
export interface LogRetention {
  /** Number of days, including today. */
  readonly daysMax: number;
  /** Bytes of all days; one day can use at most half of them. */
  readonly bytesMax: number;
}

const FOLDER = /^\d{4}-\d\d-\d\d$/;
/** Maximum chunk removals per trim of a day. */
const DROPS_MAX = 64;

/**
 * The log's days on disk. Only the newest one is written; the others are opened when they are read.
 * Expired days are removed as whole files.
 */
export class LogDays {
  readonly #options: EnvironmentOptions;
  readonly #retention: LogRetention;
  readonly #openDays = new Map<number, LogDay>();
  /** Days on disk, oldest first. */
  #days: number[];
  #current: LogDay;
  readonly #serialize = pLimit(1);

  /**
   * @param now - Milliseconds. Opens the newest day for writing, or today if there is none.
   * @throws {EngineError} The errors of `Environment`.
   */
  constructor(options: EnvironmentOptions, retention: LogRetention, now: number) {
    this.#options = options;
    this.#retention = retention;
    mkdirSync(options.path, { recursive: true });
    this.#days = readdirSync(options.path)
      .filter((name) => FOLDER.test(name))
      .map((name) => Date.parse(name) / DAY_MS)
      .sort((one, other) => one - other);
    this.#current = this.#openForWriting(this.#days.at(-1) ?? Math.floor(now / DAY_MS), now);
  }

  /** The day being written. */
  get current(): LogDay {
    return this.#current;
  }

  /** Returns the days on disk from `first` to `last`, both inclusive, oldest first. */
  between(first: number, last: number): readonly number[] {
    return this.#days.filter((day) => day >= first && day <= last);
  }

  /** Returns the day before the current one. */
  previousDay(now: number): LogDay | undefined {
    const day = this.#days.at(-2);
    return day === undefined ? undefined : this.get(day, now);
  }

  /** Returns a day on disk. Do not keep it across an `await`. */
  get(day: number, now: number): LogDay | undefined {
    const known = this.#openDays.get(day);
    if (known !== undefined || !this.#days.includes(day)) return known;
    const found = new LogDay({ ...this.#options, path: this.#path(day), readOnly: true }, day, now);
    this.#openDays.set(day, found);
    return found;
  }

  /** Switches writing to a later day. */
  startDay(day: number, now: number): LogDay {
    this.#current = this.#openForWriting(day, now);
    return this.#current;
  }

  /** Removes expired and excess days, and excess lines of the current day. */
  trim(now: number): Promise<void> {
    return this.#serialize(() => this.#trim(now));
  }

  /** Returns the bytes of the files of all days. */
  sizeBytes(now: number): number {
    return this.#days.reduce((sum, day) => sum + (this.get(day, now)?.usage().sizeBytes ?? 0), 0);
  }

  async close(): Promise<void> {
    await this.#serialize(async () => {
      await Promise.all([...this.#openDays.values()].map((day) => day.close()));
      this.#openDays.clear();
    });
  }

  async #trim(now: number): Promise<void> {
    const { daysMax, bytesMax } = this.#retention;
    const oldest = Math.floor(now / DAY_MS) - daysMax + 1;
    while (this.#isOverLimit((this.#days[0] ?? oldest) < oldest, now)) {
      const [day] = this.#days;
      if (day !== undefined) await this.#remove(day);
    }
    const current = this.#current;
    for (let n = 0; n < DROPS_MAX && usedBytes(current) > bytesMax / 2; n += 1)
      await current.dropOldest();
  }

  #isOverLimit(isTooOld: boolean, now: number): boolean {
    if (this.#days.length <= 1) return false;
    return isTooOld || !this.#current.hasRoom() || this.sizeBytes(now) > this.#retention.bytesMax;
  }

  async #remove(day: number): Promise<void> {
    const open = this.#openDays.get(day);
    this.#openDays.delete(day);
    this.#days = this.#days.filter((one) => one !== day);
    await open?.close();
    rmSync(this.#path(day), { recursive: true, force: true });
  }

  #openForWriting(day: number, now: number): LogDay {
    const opened = new LogDay({ ...this.#options, path: this.#path(day) }, day, now);
    this.#openDays.set(day, opened);
    if (!this.#days.includes(day)) this.#days.push(day);
    return opened;
  }

  #path(day: number): string {
    return join(this.#options.path, new Date(day * DAY_MS).toISOString().slice(0, 10));
  }
}

function usedBytes(day: LogDay): number {
  const { sizeBytes, freeBytes } = day.usage();
  return sizeBytes - freeBytes;
}
