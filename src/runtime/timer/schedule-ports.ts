import type { Awaitable } from '../load/awaitable.ts';
import type { Schedule } from './schedule-types.ts';

/** A stored schedule. */
export interface ScheduleRow {
  readonly name: string;
  readonly spec: Schedule;
  /** Next due date, in milliseconds; absent if its pattern has no date left. */
  readonly next?: number;
  /** The actor created last. */
  readonly lastId?: string;
  /** Present while the schedule is paused. */
  readonly isPaused?: true;
  /** Dates skipped since the schedule was created. */
  readonly skipped: number;
}

/** One write of the schedules, as part of a batch. */
export type ScheduleWrite =
  | { readonly put: 'schedule'; readonly row: ScheduleRow }
  | { readonly del: 'schedule'; readonly name: string };

/** Schedule reads of an engine. See `EngineStore`. */
export interface ScheduleReads {
  /** Returns all schedules, at most `SCHEDULES_MAX`. */
  schedules(): Awaitable<readonly ScheduleRow[]>;
}
