import type { JsonObject } from '../common/json.ts';

/** Something that happened and that anyone may read. Nothing in it is personal or secret. */
export interface PublicEvent {
  /** Place in the feed, from 0, without gaps. */
  readonly seq: number;
  /** RFC 3339, in UTC. */
  readonly at: string;
  /** Dotted words, such as `job.released`. */
  readonly type: string;
  /** What it is about: a job, a passport, a settlement. */
  readonly ref: string;
  /** Whom it is about, in lower case: wallets, and agents as `agent:<id>`. */
  readonly subjects: readonly string[];
  readonly data: JsonObject;
}

/** An event to be told; a repeat with the same key gives the first one. */
export type NewPublicEvent = Omit<PublicEvent, 'seq' | 'at'> & {
  readonly key: string;
  /** Milliseconds: when it happened. */
  readonly happenedAt: number;
};

/** The public feed of events, append-only. */
export interface EventLog {
  readonly size: number;
  /** Resolves when the disk has it. */
  append(event: NewPublicEvent): Promise<PublicEvent>;
  read(fromSeq: number, limit: number): readonly PublicEvent[];
  /** Events about a subject, from a place on. */
  about(subject: string, fromSeq: number, limit: number): readonly PublicEvent[];
  /** The newest events about a subject, the newest first. */
  latest(subject: string, limit: number): readonly PublicEvent[];
  /** Calls back after appended events are on disk, until it is ended. */
  watch(listener: () => void): () => void;
}

/** The public feed, as its one writer has it. */
export interface EventFeed extends EventLog {
  /** How far the feed of actors has been turned into events; 0 at first. */
  readonly position: number;
  /** Keeps a position, once the events of everything before it are on disk. */
  keepPosition(position: number): Promise<void>;
}
