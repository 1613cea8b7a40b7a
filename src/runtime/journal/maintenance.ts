import type { ActorCache } from '../engine/actor-cache.ts';
import type { Core } from '../engine/core.ts';

/** Interval between two trims of the store, in milliseconds. */
const TRIM_EVERY_MS = 60 * 60 * 1_000;
/** Delay before the next trim if expired rows remain, in milliseconds. */
const TRIM_AGAIN_MS = 1_000;
/**
 * Interval between two compactions, in milliseconds; after two without an idle moment one is
 * forced.
 */
const COMPACT_EVERY_MS = 24 * 60 * 60 * 1_000;

/** Periodic maintenance: evicts idle actors, and trims and compacts the store. */
export class Maintenance {
  readonly #core: Core;
  readonly #cells: ActorCache;
  #cancelEviction: () => void = () => undefined;
  #cancelTrim: () => void = () => undefined;
  #nextCompactAt = 0;

  constructor(core: Core, cells: ActorCache) {
    this.#core = core;
    this.#cells = cells;
  }

  start(): void {
    this.#nextCompactAt = this.#core.clock.now();
    this.#cells.onFirst = () => this.#scheduleEviction();
    this.#scheduleEviction();
    this.#scheduleTrim();
  }

  close(): void {
    this.#cells.onFirst = () => undefined;
    this.#cancelEviction();
    this.#cancelTrim();
  }

  #scheduleEviction(): void {
    const { clock, limits } = this.#core;
    this.#cancelEviction();
    if (this.#cells.size === 0) return;
    this.#cancelEviction = clock.at(clock.now() + limits.passivateAfterMs, () => {
      this.#cells.evictIdle(limits.passivateAfterMs);
      this.#scheduleEviction();
    });
  }

  #scheduleTrim(delayMs = TRIM_EVERY_MS): void {
    const { clock } = this.#core;
    this.#cancelTrim = clock.at(clock.now() + delayMs, () => {
      const count = this.#trim();
      if (count === 0) this.#compact();
      this.#scheduleTrim(count === 0 ? TRIM_EVERY_MS : TRIM_AGAIN_MS);
    });
  }

  /** Compacts the store once a day, preferably while no commit is pending. */
  #compact(): void {
    const { clock, committer, store } = this.#core;
    const now = clock.now();
    const isIdle = committer.pending === 0 || now >= this.#nextCompactAt + COMPACT_EVERY_MS;
    if (store.compact === undefined || now < this.#nextCompactAt || !isIdle) return;
    this.#nextCompactAt = now + COMPACT_EVERY_MS;
    store.compact().catch((cause: unknown) => {
      const message = `The store could not be compacted: ${String(cause)}`;
      this.#core.notice({ kind: 'compact_failed', actorId: '', message, cause });
    });
  }

  #trim(): number {
    const { clock, store } = this.#core;
    try {
      return store.trim(clock.now());
    } catch (cause) {
      const message = `The store could not be trimmed: ${String(cause)}`;
      this.#core.notice({ kind: 'trim_failed', actorId: '', message, cause });
      return 0;
    }
  }
}
