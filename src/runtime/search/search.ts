import type { ActorCache } from '../engine/actor-cache.ts';
import type { Core } from '../engine/core.ts';
import type { Write } from '../engine/ports.ts';
import type { ListQuery, ListRow, PersistedSnapshot } from '../engine/types.ts';
import { lastKnownActor } from '../journal/replay.ts';
import { findSearchValues } from './find-search-values.ts';
import type { SearchAttributes } from './search-types.ts';
import { checkSearchQuery, searchVersion } from './search-values.ts';

/** Actors whose attributes are computed per commit, after a change of the declaration. */
const BATCH = 200;

/**
 * Keeps the index of search attributes complete. If a kind declares other attributes than at the
 * last start, those of its actors are computed in bounded steps while the engine runs; queries wait
 * for it.
 */
export class Search {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #ready = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(core: Core, cells: ActorCache) {
    this.#core = core;
    this.#cells = cells;
  }

  /** Starts computing the attributes of kinds that declare others than before. */
  start(): void {
    for (const kind of this.#core.definitions.keys()) {
      // A failed commit stops the engine; a query reports it.
      this.#whenReady(kind).catch(() => undefined);
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  /**
   * Resolves when a query finds every actor.
   *
   * @throws {EngineError} `QUERY_INVALID`
   */
  async prepare(query: ListQuery): Promise<void> {
    const { kind = '', where, orderBy } = query;
    if (where === undefined && orderBy === undefined) return;
    checkSearchQuery(query, this.#core.definitions.get(kind)?.search);
    await this.#whenReady(kind);
  }

  #whenReady(kind: string): Promise<void> {
    const known = this.#ready.get(kind);
    if (known !== undefined) return known;
    const ready = this.#update(kind);
    this.#ready.set(kind, ready);
    return ready;
  }

  async #update(kind: string): Promise<void> {
    const search = this.#core.definitions.get(kind)?.search;
    const name = `search/${kind}`;
    const version = search === undefined ? '' : searchVersion(search);
    const { store } = this.#core;
    const [known = '', reached] = ((await store.mark(name)) ?? '').split('\n', 2);
    if (known === version && reached === undefined) return;
    let cursor = known === version && reached !== '' ? this.#toCursor(kind, reached) : undefined;
    do {
      const query = { kind, limit: BATCH, ...(cursor === undefined ? {} : { cursor }) };
      const page = search === undefined ? { rows: [] } : await store.list(query);
      ({ cursor } = page as { readonly cursor?: string });
      const last = page.rows.at(-1)?.id ?? '';
      const text = cursor === undefined ? version : `${version}\n${last}`;
      // No event of these actors may come between the rows and their commit.
      await this.#cells.prepare({ ids: page.rows.map(({ id }) => id) }, () => {
        const writes = page.rows.flatMap((row) => this.#rewrite(row, search ?? {}));
        return this.#commit([...writes, { put: 'mark', name, text }]);
      });
    } while (cursor !== undefined && !this.#isClosed);
  }

  #toCursor(kind: string, id: string | undefined): string | undefined {
    return id === undefined ? undefined : `${kind}\n${id}`;
  }

  #rewrite(row: ListRow, search: SearchAttributes): readonly Write[] {
    const { id } = row;
    const cell = this.#cells.peek(id);
    const stored = cell === undefined ? this.#cells.loader.take(id) : undefined;
    const snapshot =
      cell?.live.snapshot ?? (stored === undefined ? undefined : lastKnownActor(stored).snapshot);
    if (snapshot === undefined) return [];
    const { context } = snapshot as Pick<PersistedSnapshot, 'context'>;
    const attributes = findSearchValues(this.#core, search, { id, context });
    const before = cell?.indexRow ?? row;
    const after: ListRow = Object.freeze({ ...before, attributes });
    if (cell !== undefined) cell.indexRow = after;
    return [{ put: 'index', row: after, before }];
  }

  #commit(writes: readonly Write[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#core.committer.submit(writes, { done: resolve, failed: reject });
    });
  }
}
