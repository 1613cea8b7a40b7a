import type { ActorCache } from '../engine/actor-cache.ts';
import type { EngineStore } from '../engine/ports.ts';
import type { ListQuery, ListRow } from '../engine/types.ts';
import type { Reading } from '../load/awaitable.ts';
import { read } from '../load/awaitable.ts';
import { childAddress } from './actor-ref.ts';

/**
 * Returns the ids of an actor's child machines and of their children, the innermost first.
 *
 * @param check - Called with each actor before its children are read, in a section of the actor.
 */
export function* listDescendants(
  store: EngineStore,
  cells: ActorCache,
  id: string,
  check: (id: string) => void = () => undefined,
): Reading<readonly string[]> {
  const children = yield* read(
    cells.prepare({ ids: [id] }, () => {
      check(id);
      return cells.getForRemoval(id).subject.definition.children;
    }),
  );
  const kinds = [...new Set(Object.values(children).map(({ kind }) => kind))];
  const prefix = childAddress(id, '');
  const ids: string[] = [];
  for (const kind of kinds) {
    for (const row of yield* listAll(store, { kind, prefix })) {
      const isOwn = () => cells.find(row.id)?.subject.parent?.id === id;
      if (!(yield* read(cells.prepare({ ids: [row.id] }, isOwn)))) continue;
      ids.push(...(yield* listDescendants(store, cells, row.id, check)), row.id);
    }
  }
  return ids;
}

function* listAll(store: EngineStore, query: ListQuery): Reading<readonly ListRow[]> {
  const { rows, cursor } = yield* read(store.list(query));
  return cursor === undefined ? rows : [...rows, ...(yield* listAll(store, { ...query, cursor }))];
}
