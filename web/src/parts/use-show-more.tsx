import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Returns the first items of a long list, and a button that doubles their number. */
export function useShowMore<Item>(
  items: readonly Item[],
  first: number,
): { readonly shown: readonly Item[]; readonly more: ComponentChildren } {
  const [most, setMost] = useState(first);
  const rest = items.length - most;
  const more =
    rest <= 0 ? null : (
      <button type="button" class="button is-small" onClick={() => setMost(most * 2)}>
        {rest} more
      </button>
    );
  return { shown: items.slice(0, most), more };
}
