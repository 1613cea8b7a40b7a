import type { ActorEngine, ListChange, ListRow } from '../../runtime/engine/types.ts';
import { listAll } from './actor-lists.ts';

/** The actor kind that an in-memory index follows. */
export interface KindWatcherDeps {
  readonly engine: ActorEngine;
  readonly kind: string;
  /** Indexes one actor: at the start, oldest first, and whenever one starts or ends. */
  read(id: string): Promise<void>;
  /** Called when an actor was removed. */
  remove?(row: ListRow): void;
}

/** Keeps an in-memory index up to date with the actors of one kind. */
export class KindWatcher {
  readonly #parts: KindWatcherDeps;
  readonly #pendingReads = new Set<Promise<void>>();
  readonly #stopWatching: () => void;

  constructor(parts: KindWatcherDeps) {
    this.#parts = parts;
    this.#stopWatching = parts.engine.watchList((change) => this.#onChange(change));
  }

  /** Indexes all existing actors. */
  async readAll(): Promise<void> {
    const { engine, kind, read } = this.#parts;
    const rows = [...(await listAll(engine, { kind, limit: 1_000 }))];
    rows.sort((one, other) => one.createdAt - other.createdAt);
    for (const { id } of rows) await read(id);
  }

  /** Waits until all earlier commits are indexed. */
  async waitUntilCurrent(): Promise<void> {
    await Promise.all(this.#pendingReads);
  }

  /** Stops following changes. */
  close(): void {
    this.#stopWatching();
  }

  #onChange({ before, after }: ListChange): void {
    const { kind, read, remove } = this.#parts;
    if ((after ?? before)?.kind !== kind) return;
    if (after === undefined) {
      if (before !== undefined) remove?.(before);
      return;
    }
    if (before !== undefined && before.status === after.status) return;
    const reading = read(after.id)
      .catch(() => undefined)
      .finally(() => this.#pendingReads.delete(reading));
    this.#pendingReads.add(reading);
  }
}

/** Drops the oldest finished row if the map exceeds its limit. */
export function dropOldestEnded(
  rows: Map<string, { readonly isOver: boolean }>,
  most: number,
): void {
  if (rows.size <= most) return;
  for (const [key, { isOver }] of rows) {
    if (!isOver) continue;
    rows.delete(key);
    return;
  }
}
