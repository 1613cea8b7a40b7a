import type { JSX } from 'preact';
import type { Facet } from './directory.ts';

/** Most values shown per facet; the search finds the rest. */
const SHOWN_MAX = 24;

/** A group of filter values with their numbers; a second press clears the filter. */
export function FacetList(props: {
  readonly title: string;
  readonly facets: readonly Facet[];
  readonly chosen: string | undefined;
  choose(name: string | undefined): void;
}): JSX.Element | null {
  const { title, facets, chosen, choose } = props;
  const shown = facets.slice(0, SHOWN_MAX);
  // A URL may filter by a value that no actor has; it must stay possible to clear it.
  const isMissing = chosen !== undefined && !shown.some(({ name }) => name === chosen);
  const all = isMissing ? [{ name: chosen, count: countOf(facets, chosen) }, ...shown] : shown;
  if (all.length === 0) return null;
  return (
    <section class="facet" aria-label={title}>
      <h2 class="facet-title">{title}</h2>
      <ul>
        {all.map(({ name, count }) => (
          <li key={name}>
            <button
              type="button"
              class="facet-choice"
              aria-pressed={name === chosen}
              onClick={() => choose(name === chosen ? undefined : name)}
            >
              <span class="facet-name">{name}</span>
              <span class="number">{count.toLocaleString('en')}</span>
            </button>
          </li>
        ))}
      </ul>
      {facets.length > SHOWN_MAX ? (
        <p class="muted">{facets.length - SHOWN_MAX} more; use the search</p>
      ) : null}
    </section>
  );
}

function countOf(facets: readonly Facet[], name: string): number {
  return facets.find((one) => one.name === name)?.count ?? 0;
}
