import type { LogLevel, LogType } from '../value-sets.ts';

/** A log line from a spool file. */
export interface NewLogLine {
  /** End position in the source, in bytes or lines. Increases within a source. */
  readonly end: number;
  readonly resource: string;
  readonly type: LogType;
  /**
   * Milliseconds since 1970. If absent, in the future or over a day old, the time of receipt
   * applies.
   */
  readonly at?: number;
  readonly message: string;
  /** If absent, it is detected from the message. */
  readonly level?: LogLevel;
  readonly instance?: string;
  readonly host?: string;
  readonly statusCode?: string;
  readonly method?: string;
  readonly path?: string;
}

/** Ingests lines of spool files. Each line is stored once, even if it is passed repeatedly. */
export interface LogIngest {
  /** Returns the end position of the last line stored from a source; 0 for an unknown source. */
  storedUntil(source: string): number;
  /**
   * Stores lines that follow those already stored and skips earlier ones.
   *
   * @param lines - At most 4,096.
   *
   * @returns When the lines are on disk.
   * @throws {AppError} `OVERLOADED` if too much waits for the disk; `STORE_FULL` at the disk
   * reserve. No line is stored then; pass them again later.
   */
  append(source: string, lines: readonly NewLogLine[]): Promise<void>;
  /** Deletes the position of a source that has ended. */
  forget(source: string): Promise<void>;
}
