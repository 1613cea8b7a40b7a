/** Maximum schedules of an engine. */
export const SCHEDULES_MAX = 10_000;
/** Maximum length of a schedule name, in characters; the names of its actors are longer. */
export const SCHEDULE_NAME_CHARS_MAX = 200;

/** Maximum dates of one backfill. */
export const BACKFILL_MAX = 1_000;

/** Creates actors of a kind on the dates of a pattern. */
export interface Schedule {
  /**
   * Five fields (minute, hour, day, month, weekday), six with leading seconds, seven with trailing
   * years, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
   */
  readonly cron: string;
  /** IANA name. Default `UTC`. */
  readonly timezone?: string;
  /** Kind of the actors. */
  readonly kind: string;
  readonly input?: unknown;
  /** Queue that the actors go through. Default: none, they start immediately. */
  readonly queue?: string;
  /** `skip` skips a date while the previous actor has not ended. Default `allow`. */
  readonly overlap?: 'allow' | 'skip';
  /**
   * Handles dates missed by more than a minute, for example while the process was down: `once`
   * creates one actor for the first of them, `skip` creates none. Default `once`.
   */
  readonly missed?: 'once' | 'skip';
  /**
   * Spreads load: each actor is created up to this many milliseconds after its date. The delay
   * depends on the schedule's name and the date alone. The actor's id has the date. Default 0.
   */
  readonly jitterMs?: number;
}

/** A range of dates, both included, in milliseconds. */
export interface DateRange {
  readonly from: number;
  readonly to: number;
}

/** A schedule and its current state. */
export interface Scheduled extends Schedule {
  readonly name: string;
  /** Next due date, in milliseconds; absent if its pattern has no date left. */
  readonly next?: number;
  /** The actor created last: `<name>@<date>`. */
  readonly lastId?: string;
  /** Present while the schedule is paused. */
  readonly isPaused?: true;
  /** Dates skipped since the schedule was created. */
  readonly skipped: number;
}
