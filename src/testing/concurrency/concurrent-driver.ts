import type { Ev } from '../../runtime/engine/types.ts';
import type { Observed } from '../driver.ts';

/** A call of one client. */
export interface ClientCall {
  readonly client: string;
  readonly actor: string;
}

/** An event of one client. */
export interface ClientEvent extends ClientCall {
  readonly event: Ev;
  /** Idempotency key. Every delivery of one event has the same, also a retry. */
  readonly key: string;
}

/** What a run gives to a driver at the start. */
export interface ConcurrentStart {
  readonly actors: readonly string[];
  readonly input: unknown;
  /**
   * Await it where the system waits for something, such as a disk: the run decides when the task
   * goes on. Interleavings are found only where the system pauses.
   */
  readonly pause: (label?: string) => Promise<void>;
}

/** Runs several clients on a system under test. One driver makes one run. */
export interface ConcurrentDriver {
  start(start: ConcurrentStart): Promise<void>;
  /**
   * Sends an event. Resolves with the answer that the client gets, also if it is a refusal.
   * A rejection fails the run.
   */
  send(call: ClientEvent): Promise<unknown>;
  read(call: ClientCall): Promise<Observed>;
  /** Kills the process without a shutdown, and starts it again. Calls in progress get no answer. */
  killAndRestart?(): Promise<void>;
  close(): Promise<void>;
}

/** A fault of a concurrent run. */
export type ConcurrentFault =
  /** The process is killed and restarted. */
  | 'kill_restart'
  /** An answer is lost. The client repeats the event with the same key, or gives up. */
  | 'lost_reply'
  /** An event is delivered a second time with the same key, at once or late. */
  | 'duplicate';
