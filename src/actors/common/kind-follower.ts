import type { ActorEngine, ListRow } from '../../runtime/engine/types.ts';
import type { ListChange } from '../../runtime/view/look-types.ts';
import { listAll } from './finished.ts';

/** Whom a list in memory follows. */
export interface FollowedKind {
  readonly engine: ActorEngine;
  readonly kind: string;
  /** Reads one of them: at the start, the oldest first, and whenever one begins or ends. */
  read(id: string): Promise<void>;
  /** Told of one that was removed. */
  forget?(row: ListRow): void;
}

/** Keeps a list in memory in step with the actors of one kind. */
export class KindFollower {
  readonly #parts: FollowedKind;
  readonly #reading = new Set<Promise<void>>();
  readonly #end: () => void;

  constructor(parts: FollowedKind) {
    this.#parts = parts;
    this.#end = parts.engine.watchList((change) => this.#heard(change));
  }

  /** Reads what is there. */
  async readAll(): Promise<void> {
    const { engine, kind, read } = this.#parts;
    const rows = [...(await listAll(engine, { kind, limit: 1_000 }))];
    rows.sort((one, other) => one.createdAt - other.createdAt);
    for (const { id } of rows) await read(id);
  }

  /** Waits until it has read what was committed before. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#reading);
  }

  /** Ends following. */
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

/** Drops the oldest row that is over, where there are more than may be. */
export function trimEnded(rows: Map<string, { readonly isOver: boolean }>, most: number): void {
  if (rows.size <= most) return;
  for (const [key, { isOver }] of rows) {
    if (!isOver) continue;
    rows.delete(key);
    return;
  }
}
