import { createHash } from 'node:crypto';
import type { Key } from 'lmdb';
import type { ActorStatus, ListRow } from '../../runtime/engine/types.ts';

/** Maximum length of a facet value stored verbatim in a key, in characters. */
const VALUE_CHARS_MAX = 48;

/** Returns the keys `[kind, facet, value, id]` that index an actor by state and status. */
export function facetKeys({ kind, id, state, status }: IndexedActor): readonly (readonly Key[])[] {
  const states = listStates(state).map((each) => [kind, 's', toFacetValue(each), id]);
  return [...states, [kind, 't', status, id]];
}

/** Facet keys to remove and to add. */
export interface FacetChange {
  readonly removed: readonly (readonly Key[])[];
  readonly added: readonly (readonly Key[])[];
}

/** Returns how the facet keys of an actor change. Most events change only some of its states. */
export function diffFacets(before: IndexedActor, after: IndexedActor): FacetChange {
  const removed: (readonly Key[])[] = [];
  const added: (readonly Key[])[] = [];
  const { kind, id } = after;
  const [past, present] = [listStates(before.state), listStates(after.state)];
  for (const state of past) {
    if (!present.includes(state)) removed.push([kind, 's', toFacetValue(state), id]);
  }
  for (const state of present) {
    if (!past.includes(state)) added.push([kind, 's', toFacetValue(state), id]);
  }
  if (before.status !== after.status) {
    removed.push([kind, 't', before.status, id]);
    added.push([kind, 't', after.status, id]);
  }
  return { removed, added };
}

/** Returns the key prefix of all actors of a kind in a state. */
export function statePrefix(kind: string, state: string): readonly Key[] {
  return [kind, 's', toFacetValue(state)];
}

/** Returns the key prefix of all actors of a kind with a status. */
export function statusPrefix(kind: string, status: ActorStatus): readonly Key[] {
  return [kind, 't', status];
}

type IndexedActor = Pick<ListRow, 'kind' | 'id' | 'state' | 'status'>;

/** Returns every state that an actor is in: `a.b,c` is in `a`, in `a.b` and in `c`. */
function listStates(name: string): readonly string[] {
  if (!name.includes('.') && !name.includes(',')) return [name];
  const states = new Set<string>();
  for (const part of name.split(',')) {
    for (let dot = part.indexOf('.'); dot !== -1; dot = part.indexOf('.', dot + 1)) {
      states.add(part.slice(0, dot));
    }
    states.add(part);
  }
  return [...states];
}

/** Keys hold at most 1,978 bytes. Readers check the row's state again, so a hash suffices. */
function toFacetValue(state: string): string {
  if (state.length <= VALUE_CHARS_MAX) return state;
  const hash = createHash('sha256').update(state).digest('hex').slice(0, 32);
  return `${state.slice(0, 16)}#${hash}`;
}
