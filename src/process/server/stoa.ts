import type { AppError } from '../../domain/common/error.ts';
import type { ConsoleLink } from '../../transport/console/console-link.ts';
import type { Ready } from './ready.ts';

/** A running server. */
export interface Stoa {
  readonly ready: Ready;
  /** Creates a single-use link that opens the console. */
  consoleLink(): ConsoleLink | undefined;
  /**
   * Shuts down in order: rejects new calls, finishes open ones, and keeps effects for the next
   * start.
   */
  close(): Promise<void>;
  /** Resolves when the server stops by itself: idle, or after a fatal error. */
  readonly ended: Promise<AppError | undefined>;
}

/** Receives one line of text for the operator. */
export type Notice = (line: string) => void;
