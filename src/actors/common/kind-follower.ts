import type { ActorEngine, ListRow } from '../../runtime/engine/types.ts';
import type { ListChange } from '../../runtime/view/look-types.ts';
import { listAll } from './finished.ts';

/** The actor kind that an in-memory index follows. */
export interface FollowedKind {
  readonly engine: ActorEngine;
  readonly kind: string;
  /** Indexes one actor: at the start, oldest first, and whenever one starts or ends. */
  read(id: string): Promise<void>;
  /** Called when an actor was removed. */
  forget?(row: ListRow): void;
}

/** Keeps an in-memory index up to date with the actors of one kind. */
export class KindFollower {
  readonly #parts: FollowedKind;
  readonly #reading = new Set<Promise<void>>();
  readonly #end: () => void;

  constructor(parts: FollowedKind) {
    this.#parts = parts;
    this.#end = parts.engine.watchList((change) => this.#heard(change));
  }

  /** Indexes all existing actors. */
  async readAll(): Promise<void> {
    const { engine, kind, read } = this.#parts;
    const rows = [...(await listAll(engine, { kind, limit: 1_000 }))];
    rows.sort((one, other) => one.createdAt - other.createdAt);
    for (const { id } of rows) await read(id);
  }

  /** Waits until all earlier commits are indexed. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#reading);
  }

  /** Stops following changes. */
  close(): void {
    this.#end();
  }

  #heard({ before, after }: ListChange): void {
    const { kind, read, forget } = this.#parts;
    if ((after ?? before)?.kind !== kind) return;
    if (after === undefined) {
      if (before !== undefined) forget?.(before);
      return;
    }
    if (before !== undefined && before.status === after.status) return;
    const reading = read(after.id)
      .catch(() => undefined)
      .finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }
}

/** Drops the oldest finished row if the map exceeds its limit. */
export function trimEnded(rows: Map<string, { readonly isOver: boolean }>, most: number): void {
  if (rows.size <= most) return;
  for (const [key, { isOver }] of rows) {
    if (!isOver) continue;
    rows.delete(key);
    return;
  }
}
