import type { Core } from '../engine/core.ts';
import type { PersistedSnapshot } from '../engine/types.ts';
import { decode } from '../value/typed-value.ts';
import type { SearchAttributes, SearchValues } from './search-types.ts';
import { computeSearchValues } from './search-values.ts';

/**
 * Computes the search attributes of an actor from its context. Nothing that a function does can
 * fail the actor.
 */
export function findSearchValues(
  core: Pick<Core, 'notice'>,
  search: SearchAttributes,
  { id, context }: { readonly id: string; readonly context: PersistedSnapshot['context'] },
): SearchValues {
  return computeSearchValues(
    search,
    () => decode(context),
    (problem, cause) => {
      const message = `The search attribute of ${id} is left out: ${problem}`;
      core.notice({ kind: 'search_failed', actorId: id, message, cause });
    },
  );
}
