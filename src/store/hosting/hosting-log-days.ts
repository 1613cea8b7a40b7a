import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../domain/common/time.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import { LogDay } from './hosting-log-day.ts';

/** How much of the logs is kept. */
export interface LogRetention {
  /** Days, the present one among them. */
  readonly daysMax: number;
  /** Bytes of all days; one day has at most half of them. */
  readonly bytesMax: number;
}

const FOLDER = /^\d{4}-\d\d-\d\d$/;
/** Quarters of a lane that one trim of a day removes at most. */
const SHEDS_MAX = 64;

/**
 * The days of the log that are on disk. One of them is written, the newest; the others are opened
 * when they are read. Whole days go, and their files with them.
 */
export class LogDays {
  readonly #options: EnvironmentOptions;
  readonly #retention: LogRetention;
  readonly #open = new Map<number, LogDay>();
  /** Days on disk, oldest first. */
  #days: number[];
  #current: LogDay;
  #trimming: Promise<void> = Promise.resolve();

  /**
   * @param now - Milliseconds. The newest day is opened for writing, or today where there is none.
   * @throws {EngineError} as `Environment`
   */
  constructor(options: EnvironmentOptions, retention: LogRetention, now: number) {
    this.#options = options;
    this.#retention = retention;
    mkdirSync(options.path, { recursive: true });
    this.#days = readdirSync(options.path)
      .filter((name) => FOLDER.test(name))
      .map((name) => Date.parse(name) / DAY_MS)
      .sort((one, other) => one - other);
    this.#current = this.#openToWrite(this.#days.at(-1) ?? Math.floor(now / DAY_MS), now);
  }

  /** The day that is written. */
  get current(): LogDay {
    return this.#current;
  }

  /** Days from one to another, both inclusive, that are on disk; oldest first. */
  between(first: number, last: number): readonly number[] {
    return this.#days.filter((day) => day >= first && day <= last);
  }

  /** The day before the present one. */
  former(now: number): LogDay | undefined {
    const day = this.#days.at(-2);
    return day === undefined ? undefined : this.get(day, now);
  }

  /** A day on disk; not to be held across a wait. */
  get(day: number, now: number): LogDay | undefined {
    const known = this.#open.get(day);
    if (known !== undefined || !this.#days.includes(day)) return known;
    const found = new LogDay({ ...this.#options, path: this.#path(day), readOnly: true }, day, now);
    this.#open.set(day, found);
    return found;
  }

  /** Writes a later day from now on. */
  begin(day: number, now: number): LogDay {
    this.#current = this.#openToWrite(day, now);
    return this.#current;
  }

  /** Removes days that are too old, or more than fits, and in the present day what is too much. */
  trim(now: number): Promise<void> {
    const trimmed = this.#trimming.then(() => this.#trim(now));
    this.#trimming = trimmed.catch(() => undefined);
    return trimmed;
  }

  /** Bytes of the files of all days. */
  sizeBytes(now: number): number {
    return this.#days.reduce((sum, day) => sum + (this.get(day, now)?.use().sizeBytes ?? 0), 0);
  }

  async close(): Promise<void> {
    await this.#trimming;
    await Promise.all([...this.#open.values()].map((day) => day.close()));
    this.#open.clear();
  }

  async #trim(now: number): Promise<void> {
    const { daysMax, bytesMax } = this.#retention;
    const oldest = Math.floor(now / DAY_MS) - daysMax + 1;
    while (this.#isOver((this.#days[0] ?? oldest) < oldest, now)) {
      const [day] = this.#days;
      if (day !== undefined) await this.#remove(day);
    }
    const current = this.#current;
    for (let n = 0; n < SHEDS_MAX && inUse(current) > bytesMax / 2; n += 1) await current.shed();
  }

  #isOver(isTooOld: boolean, now: number): boolean {
    if (this.#days.length <= 1) return false;
    return isTooOld || !this.#current.hasRoom() || this.sizeBytes(now) > this.#retention.bytesMax;
  }

  async #remove(day: number): Promise<void> {
    const open = this.#open.get(day);
    this.#open.delete(day);
    this.#days = this.#days.filter((one) => one !== day);
    await open?.close();
    rmSync(this.#path(day), { recursive: true, force: true });
  }

  #openToWrite(day: number, now: number): LogDay {
    const opened = new LogDay({ ...this.#options, path: this.#path(day) }, day, now);
    this.#open.set(day, opened);
    if (!this.#days.includes(day)) this.#days.push(day);
    return opened;
  }

  #path(day: number): string {
    return join(this.#options.path, new Date(day * DAY_MS).toISOString().slice(0, 10));
  }
}

function inUse(day: LogDay): number {
  const { sizeBytes, freeBytes } = day.use();
  return sizeBytes - freeBytes;
}
