import type { ActorCache } from '../engine/actor-cache.ts';
import type { EngineStore } from '../engine/ports.ts';
import type { ListQuery, ListRow } from '../engine/types.ts';
import { childAddress } from './actor-ref.ts';

/** Returns the ids of an actor's child machines and of their children, the innermost first. */
export function listDescendants(
  store: EngineStore,
  cells: ActorCache,
  id: string,
): readonly string[] {
  const { children } = cells.getForRemoval(id).subject.definition;
  const kinds = [...new Set(Object.values(children).map(({ kind }) => kind))];
  const prefix = childAddress(id, '');
  const rows = kinds.flatMap((kind) => listAll(store, { kind, prefix }));
  const own = rows.filter((row) => cells.find(row.id)?.subject.parent?.id === id);
  return own.flatMap((row) => [...listDescendants(store, cells, row.id), row.id]);
}

function listAll(store: EngineStore, query: ListQuery): readonly ListRow[] {
  const { rows, cursor } = store.list(query);
  return cursor === undefined ? rows : [...rows, ...listAll(store, { ...query, cursor })];
}
