/** Schedules of an engine. */
export const SCHEDULES_MAX = 10_000;
/** Longest name of a schedule, in characters: names of its actors are longer. */
export const SCHEDULE_NAME_CHARS_MAX = 200;

/** What a schedule makes, and when. */
export interface Schedule {
  /**
   * Five fields (minute, hour, day, month, weekday), six with seconds before them, seven with years
   * behind, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
   */
  readonly cron: string;
  /** IANA name. Default `UTC`. */
  readonly timezone?: string;
  /** Kind of the actors. */
  readonly kind: string;
  readonly input?: unknown;
  /** Queue that the actors go through. Default: none, they start at once. */
  readonly queue?: string;
  /** `skip` passes a date over while the actor of the one before has not ended. Default `allow`. */
  readonly overlap?: 'allow' | 'skip';
  /** What becomes of a date that is more than a minute past, such as after a pause of the process:
   * `once` makes one actor for the first of them, `skip` none. Default `once`. */
  readonly missed?: 'once' | 'skip';
}

/** A schedule with where it stands. */
export interface Scheduled extends Schedule {
  readonly name: string;
  /** The next date, in milliseconds; absent when its pattern has none left. */
  readonly next?: number;
  /** The actor that was made last: `<name>@<date>`. */
  readonly lastId?: string;
  /** Dates that were passed over since it was set up. */
  readonly skipped: number;
}
