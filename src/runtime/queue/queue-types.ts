import type { Ack } from '../engine/types.ts';

/** Longest name of a queue, in characters. */
export const QUEUE_NAME_CHARS_MAX = 64;
/** Longest key of a queued actor, in characters. */
export const QUEUE_KEY_CHARS_MAX = 128;
/** Priorities are whole numbers from minus this to this; higher ones start first. */
export const PRIORITY_MAX = 1_000;
/** Actors that may wait in a queue, unless set. */
export const WAITING_MAX = 1_000_000;

/**
 * How many may start in a time: `burst` at once, then one every `perMs / max`. Over any time `t`
 * that is at most `burst + t · max / perMs` starts.
 */
export interface Rate {
  /** Whole number from 1. */
  readonly max: number;
  /** Milliseconds, more than 0. */
  readonly perMs: number;
  /** Whole number from 1. Default: `max`. With 1, no window of `perMs` holds more than `max`. */
  readonly burst?: number;
}

/** What holds a queue back, as a whole or for each key. Without it, nothing does. */
export interface QueueLimits {
  /** Actors that have started and have not ended; a stuck one counts until it is mended. */
  readonly concurrency?: number;
  readonly rate?: Rate;
}

/** A queue of an engine. */
export interface QueueOptions extends QueueLimits {
  /** 1 to `QUEUE_NAME_CHARS_MAX` printable characters; unique in an engine. */
  readonly name: string;
  /** Limits for each key beside those of the whole. Actors without a key have only the latter. */
  readonly perKey?: QueueLimits;
  /** Above it `enqueue` answers `OVERLOADED`. Default `WAITING_MAX`. */
  readonly waitingMax?: number;
}

/** Options of `ActorEngine.enqueue`. */
export interface EnqueueOptions {
  /** What the limits `perKey` go by: a customer, a host. Up to `QUEUE_KEY_CHARS_MAX` characters. */
  readonly key?: string;
  /** Whole number within `PRIORITY_MAX`; higher ones start first. Default 0. */
  readonly priority?: number;
}

/** Where a queued actor stands. */
export interface Enqueued {
  readonly queue: string;
  readonly id: string;
  readonly state: 'waiting' | 'started';
  /** The actor's first answer, once it has started. */
  readonly ack?: Ack;
}

/** An actor that waits in a queue. */
export interface QueuedRow {
  readonly queue: string;
  readonly id: string;
  readonly kind: string;
  readonly key?: string;
  readonly priority: number;
  /** When it was enqueued, in milliseconds. */
  readonly at: number;
}
