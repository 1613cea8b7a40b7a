import type { Schedule } from './schedule-types.ts';

/** A schedule at rest. */
export interface ScheduleRow {
  readonly name: string;
  readonly spec: Schedule;
  /** When it fires next, in milliseconds; absent when its pattern has no date left. */
  readonly next?: number;
  /** The actor that it made last. */
  readonly lastId?: string;
  /** Dates that were passed over since it was set up. */
  readonly skipped: number;
}

/** One write of the schedules, as part of a batch. */
export type ScheduleWrite =
  | { readonly put: 'schedule'; readonly row: ScheduleRow }
  | { readonly del: 'schedule'; readonly name: string };

/** What an engine reads of its schedules. See `EngineStore`. */
export interface ScheduleReads {
  /** All of them, at most `SCHEDULES_MAX`. */
  schedules(): readonly ScheduleRow[];
}
