import type { ActorCache } from '../engine/actor-cache.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { ActorStatus } from '../engine/types.ts';
import type { Reading } from '../load/awaitable.ts';
import { isPromise, read } from '../load/awaitable.ts';
import { waitFor } from '../timer/clock-steps.ts';

/** Interval between two trims of the store, in milliseconds. */
const TRIM_EVERY_MS = 60 * 60 * 1_000;
/** Delay before the next trim if expired rows remain, in milliseconds. */
const TRIM_AGAIN_MS = 1_000;
/**
 * Interval between two compactions, in milliseconds; after two without an idle moment one is
 * forced.
 */
const COMPACT_EVERY_MS = 24 * 60 * 60 * 1_000;

/** Ended actors per kind and status that one round looks at. */
const PURGE_PAGE = 1_000;
const ENDED = ['done', 'error', 'stopped'] as const;

/** Periodic maintenance: evicts idle actors, and trims and compacts the store. */
export class Maintenance {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #purge: (id: string) => Promise<void>;
  #cancelEviction: () => void = () => undefined;
  #cancelTrim: () => void = () => undefined;
  #nextCompactAt = 0;
  #isClosed = false;
  /** Where the next round continues, by kind and status. */
  readonly #cursors = new Map<string, string>();

  /** @param purge - Removes an ended actor, see `ActorEngine.purge`. */
  constructor(core: Core, cells: ActorCache, purge: (id: string) => Promise<void>) {
    this.#core = core;
    this.#cells = cells;
    this.#purge = purge;
  }

  start(): void {
    this.#nextCompactAt = this.#core.clock.now();
    this.#cells.onFirst = () => this.#scheduleEviction();
    this.#scheduleEviction();
    this.#scheduleTrim();
  }

  close(): void {
    this.#isClosed = true;
    this.#cells.onFirst = () => undefined;
    this.#cancelEviction();
    this.#cancelTrim();
  }

  #scheduleEviction(): void {
    const { clock, limits } = this.#core;
    this.#cancelEviction();
    if (this.#cells.size === 0) return;
    this.#cancelEviction = waitFor(clock, limits.passivateAfterMs, () => {
      this.#cells.evictIdle(limits.passivateAfterMs);
      this.#scheduleEviction();
    });
  }

  #scheduleTrim(delayMs = TRIM_EVERY_MS): void {
    const { clock, committer } = this.#core;
    this.#cancelTrim = waitFor(clock, delayMs, () => {
      const trimmed = this.#cells.loader.track(this.#round());
      if (isPromise(trimmed)) trimmed.catch((cause: unknown) => committer.fail(cause));
    });
  }

  *#round(): Reading<void> {
    const count = (yield* this.#trim()) + (yield* this.#purgeEnded());
    if (this.#isClosed) return;
    if (count === 0) this.#compact();
    this.#scheduleTrim(count === 0 ? TRIM_EVERY_MS : TRIM_AGAIN_MS);
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

  /** Purges actors that ended long enough ago; returns how many it has looked at but the last. */
  *#purgeEnded(): Reading<number> {
    let left = 0;
    for (const { kind, keep } of this.#core.definitions.values()) {
      if (keep?.endedMs === undefined) continue;
      const before = this.#core.clock.now() - keep.endedMs;
      for (const status of ENDED) left += yield* this.#purgePage({ kind, status }, before);
    }
    return left;
  }

  /** Looks at the next page of a list; returns 0 once it was the last one. */
  *#purgePage(
    query: { readonly kind: string; readonly status: ActorStatus },
    before: number,
  ): Reading<number> {
    const key = `${query.kind}\n${query.status}`;
    const from = this.#cursors.get(key);
    const page = { ...query, limit: PURGE_PAGE, ...(from === undefined ? {} : { cursor: from }) };
    const { rows, cursor } = yield* read(this.#core.store.list(page));
    for (const { id, at } of rows) if (at <= before) void this.#purgeOne(id);
    if (cursor === undefined) this.#cursors.delete(key);
    else this.#cursors.set(key, cursor);
    return cursor === undefined ? 0 : rows.length;
  }

  /** A child is purged with its parent. */
  async #purgeOne(id: string): Promise<void> {
    try {
      const isChild = (): boolean => this.#cells.getForRemoval(id).subject.parent !== undefined;
      const found = this.#cells.prepare({ ids: [id] }, isChild);
      if (!(isPromise(found) ? await found : found)) await this.#purge(id);
    } catch (cause) {
      // It still sends messages; the next round finds it again.
      if (cause instanceof EngineError && cause.code === 'ACTOR_ACTIVE') return;
      const message = `${id} could not be purged: ${String(cause)}`;
      this.#core.notice({ kind: 'trim_failed', actorId: id, message, cause });
    }
  }

  *#trim(): Reading<number> {
    const { clock, store } = this.#core;
    try {
      return yield* read(store.trim(clock.now()));
    } catch (cause) {
      const message = `The store could not be trimmed: ${String(cause)}`;
      this.#core.notice({ kind: 'trim_failed', actorId: '', message, cause });
      return 0;
    }
  }
}
