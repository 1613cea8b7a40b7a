import type { JsonObject } from '../common/json.ts';

/** A public event. It contains no personal or secret data. */
export interface PublicEvent {
  /** Position in the feed, from 0, without gaps. */
  readonly seq: number;
  /** RFC 3339, in UTC. */
  readonly at: string;
  /** Dotted name, such as `job.released`. */
  readonly type: string;
  /** Reference of the job, passport or settlement. */
  readonly ref: string;
  /** Subjects of the event in lower case: wallets, and agents as `agent:<id>`. */
  readonly subjects: readonly string[];
  readonly data: JsonObject;
}

/** An event to append. Appending the same key again returns the first event. */
export type NewPublicEvent = Omit<PublicEvent, 'seq' | 'at'> & {
  readonly key: string;
  /** When it happened, in milliseconds. */
  readonly happenedAt: number;
};

/** The public, append-only feed of events. */
export interface EventLog {
  readonly size: number;
  /** Resolves when the event is on disk. */
  append(event: NewPublicEvent): Promise<PublicEvent>;
  read(fromSeq: number, limit: number): readonly PublicEvent[];
  /** Returns events about a subject, from a position on. */
  about(subject: string, fromSeq: number, limit: number): readonly PublicEvent[];
  /** Returns the newest events about a subject, newest first. */
  readLatestBySubject(subject: string, limit: number): readonly PublicEvent[];
  /** Calls the listener after appended events are on disk. Returns a function that stops it. */
  watch(listener: () => void): () => void;
}

/** The public feed with its write cursor, for its single writer. */
export interface EventFeed extends EventLog {
  /** Cursor in the feed of actors up to which events were derived; 0 initially. */
  readonly position: number;
  /** Stores the cursor after all earlier events are on disk. */
  keepPosition(position: number): Promise<void>;
}
