/** Maximum length of a queue name, in characters. */
export const QUEUE_NAME_CHARS_MAX = 64;
/** Maximum length of a queued actor's key, in characters. */
export const QUEUE_KEY_CHARS_MAX = 128;
/** Priorities are integers from minus this to this; higher ones start first. */
export const PRIORITY_MAX = 1_000;
/** Default maximum of actors waiting in a queue. */
export const WAITING_MAX = 1_000_000;

/**
 * Limits starts per time: `burst` at once, then one every `perMs / max`. In any period `t` that is
 * at most `burst + t · max / perMs` starts.
 */
export interface Rate {
  /** Integer from 1. */
  readonly max: number;
  /** Milliseconds, more than 0. */
  readonly perMs: number;
  /**
   * Integer from 1. Default: `max`. With 1, no window of `perMs` contains more than `max` starts.
   */
  readonly burst?: number;
}

/** Limits of a queue, in total or per key. Omitted limits do not apply. */
export interface QueueLimits {
  /** Maximum actors that have started and not ended; a stuck actor counts until it is repaired. */
  readonly concurrency?: number;
  readonly rate?: Rate;
}

/** Options of one queue. */
export interface QueueOptions extends QueueLimits {
  /** 1 to `QUEUE_NAME_CHARS_MAX` printable characters; unique in an engine. */
  readonly name: string;
  /**
   * Limits per key, in addition to those of the queue. They do not apply to actors without a key.
   */
  readonly perKey?: QueueLimits;
  /** Above it `enqueue` throws `OVERLOADED`. Default `WAITING_MAX`. */
  readonly waitingMax?: number;
}
