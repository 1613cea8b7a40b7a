import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useConnection } from '../../connection/use-connection.ts';
import { ActorGrid } from '../../directory/actor-grid.tsx';
import { type Directory, type Filter, kindFacets, stateFacets } from '../../directory/directory.ts';
import { FacetList } from '../../directory/facet-list.tsx';
import { DEFAULT_SORT, formatSort, parseSort, type Sort } from '../../directory/sort.ts';
import { useDirectory } from '../../directory/use-directory.ts';
import { FirstCall } from '../../parts/first-call.tsx';
import { EmptyState, ErrorState, Loading } from '../../parts/notice.tsx';
import { useIsPhone } from '../../parts/use-media.ts';
import { useSite } from '../../shell/console-site.ts';
import type { PageProps } from '../../shell/router.ts';
import { consoleUrl, navigate } from '../../shell/router.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import './actors.css';

/** The live list of all actors with filters, search and sorting. */
export function ActorsPage({ query }: PageProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const live = useDirectory(() => isInUse(scroller.current));
  const { directory, scheduleRender } = live;
  const { wish, choose } = useListQuery(query, directory, scroller);
  useShortcuts([
    { keys: '/', words: 'Search actors', run: () => search.current?.focus() },
    { keys: 'j', words: 'Next actor', run: () => sendKey(scroller.current, 'ArrowDown') },
    { keys: 'k', words: 'Previous actor', run: () => sendKey(scroller.current, 'ArrowUp') },
    { keys: 'Enter', words: 'Open selected actor', run: () => sendKey(scroller.current, 'Enter') },
  ]);
  const settle = (): void => {
    directory.applyPending();
    scheduleRender();
  };
  const grid = (
    <ActorGrid
      entries={directory.listed}
      sort={wish.sort}
      scroller={scroller}
      setSort={(sort) => choose({ ...wish, sort })}
      open={(id) => navigate(consoleUrl(['actor', id]))}
    />
  );
  const list = (
    <ActorList live={live} wish={wish} grid={grid} clear={() => choose({ ...wish, filter: {} })} />
  );
  // Without actors, there is nothing to filter or search.
  if (directory.isWhole && directory.size === 0) {
    return (
      <>
        <div class="page-head">
          <h1>Actors</h1>
        </div>
        {list}
      </>
    );
  }
  return (
    <div class="actors-page">
      <div class="page-head">
        <h1>Actors</h1>
        <Summary directory={directory} />
        <PendingChangesButton directory={directory} settle={settle} />
      </div>
      <Filters directory={directory} wish={wish} choose={choose} />
      <div class="actors-main">
        <Toolbar search={search} scroller={scroller} wish={wish} choose={choose} />
        {list}
      </div>
    </div>
  );
}

function Toolbar(props: {
  readonly search: RefObject<HTMLInputElement | null>;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly wish: ListQuery;
  choose(wish: ListQuery): void;
}): JSX.Element {
  const { search, scroller, wish, choose } = props;
  return (
    <div class="toolbar">
      <label class="visually-hidden" for="actor-search">
        Search by id, kind, state or last event
      </label>
      <input
        ref={search}
        id="actor-search"
        class="field actor-search"
        type="search"
        placeholder="Search id, kind, state, event"
        autocomplete="off"
        spellcheck={false}
        value={wish.filter.text ?? ''}
        onInput={({ currentTarget: { value } }) =>
          choose({ ...wish, filter: withText(wish.filter, value) })
        }
        onKeyDown={({ key }) => key === 'ArrowDown' && sendKey(scroller.current, key)}
      />
      <SortChoice sort={wish.sort} setSort={(sort) => choose({ ...wish, sort })} />
    </div>
  );
}

/** State of filter and order: read from the URL when the page opens, then written to it. */
function useListQuery(
  query: URLSearchParams,
  directory: Directory,
  scroller: { readonly current: HTMLElement | null },
): { readonly wish: ListQuery; choose(wish: ListQuery): void } {
  const [wish, setWish] = useState(() => parseListQuery(query));
  const chosen = useRef<ListQuery | null>(null);
  if (chosen.current !== wish) {
    chosen.current = wish;
    directory.applyQuery(wish.filter, wish.sort);
  }
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [wish]);
  const choose = (next: ListQuery): void => {
    setWish(next);
    storeListQuery(next);
  };
  return { wish, choose };
}

function Summary({ directory }: { readonly directory: Directory }): JSX.Element {
  const all = directory.counts.reduce((sum, { count }) => sum + count, 0);
  const known = directory.size;
  return (
    <p class="muted number" data-listed={directory.listed.length}>
      {directory.listed.length.toLocaleString('en')} of {known.toLocaleString('en')} listed
      {all > known ? `; ${(all - known).toLocaleString('en')} older finished not listed` : ''}
    </p>
  );
}

function Filters(props: {
  readonly directory: Directory;
  readonly wish: ListQuery;
  choose(wish: ListQuery): void;
}): JSX.Element {
  const { directory, wish, choose } = props;
  const { filter } = wish;
  const isPhone = useIsPhone();
  const set = (change: { readonly [Name in keyof Filter]: string | undefined }): void =>
    choose({ ...wish, filter: dropEmpty({ ...filter, ...change }) });
  const lists = (
    <>
      <FacetList
        title="Kind"
        facets={kindFacets(directory.counts)}
        chosen={filter.kind}
        choose={(kind) => set({ kind, state: undefined })}
      />
      <FacetList
        title="Status"
        facets={directory.statuses}
        chosen={filter.status}
        choose={(status) => set({ status })}
      />
      <FacetList
        title={filter.kind === undefined ? 'State' : `State of ${filter.kind}`}
        facets={stateFacets(directory.counts, filter.kind)}
        chosen={filter.state}
        choose={(state) => set({ state })}
      />
    </>
  );
  if (!isPhone)
    return (
      <aside class="facets" aria-label="Filters">
        {lists}
      </aside>
    );
  const chosen = [filter.kind, filter.status, filter.state].filter((one) => one !== undefined);
  return (
    <details class="facets">
      <summary>Filters{chosen.length === 0 ? '' : `: ${chosen.join(', ')}`}</summary>
      {lists}
    </details>
  );
}

const SORT_CHOICES: readonly (readonly [text: string, words: string])[] = [
  ['-at', 'Last updated first'],
  ['-createdAt', 'Newest first'],
  ['createdAt', 'Oldest first'],
  ['id', 'By id'],
  ['state', 'By state'],
  ['-seq', 'Most rows first'],
];

// On a phone, the list has no column headers to sort by.
function SortChoice(props: { readonly sort: Sort; setSort(sort: Sort): void }): JSX.Element | null {
  if (!useIsPhone()) return null;
  return (
    <select
      class="field"
      aria-label="Order"
      value={formatSort(props.sort)}
      onChange={({ currentTarget: { value } }) => props.setSort(parseSort(value))}
    >
      {SORT_CHOICES.map(([text, words]) => (
        <option key={text} value={text}>
          {words}
        </option>
      ))}
    </select>
  );
}

function PendingChangesButton(props: {
  readonly directory: Directory;
  settle(): void;
}): JSX.Element | null {
  const { added, changed } = props.directory.pendingChanges;
  if (added + changed === 0) return null;
  const words = [added > 0 ? `${added} new` : '', changed > 0 ? `${changed} updated` : ''];
  return (
    <button type="button" class="button" data-waiting onClick={props.settle}>
      {words.filter(Boolean).join(', ')}: sort now
    </button>
  );
}

function ActorList(props: {
  readonly live: ReturnType<typeof useDirectory>;
  readonly wish: ListQuery;
  readonly grid: JSX.Element;
  clear(): void;
}): JSX.Element {
  const { directory, error } = props.live;
  const { name } = useConnection().state.value;
  const { host } = useSite();
  if (error !== null) {
    return (
      <ErrorState title="The list has stopped" words={error} retry={() => location.reload()} />
    );
  }
  if (directory.listed.length > 0) return props.grid;
  if (!directory.isWhole) return name === 'lost' ? <Unavailable /> : <Loading what="actors" />;
  if (directory.size > 0) {
    return (
      <EmptyState title="No actors match the filters">
        <button type="button" class="button" onClick={props.clear}>
          Clear the filters
        </button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No actors yet">
      {host === 'server' ? (
        <FirstCall what="An actor" />
      ) : (
        <p>An actor appears here as soon as the program starts one.</p>
      )}
    </EmptyState>
  );
}

function Unavailable(): JSX.Element {
  return (
    <EmptyState title="The actors could not be loaded">
      <p>The server does not respond. This page updates when it does.</p>
    </EmptyState>
  );
}

function withText(filter: Filter, text: string): Filter {
  return dropEmpty({ ...filter, text });
}

function dropEmpty(filter: { readonly [Name in keyof Filter]: string | undefined }): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
}

/** Returns true while the user points at, focuses or has scrolled the list: rows must not move. */
function isInUse(scroller: HTMLElement | null): boolean {
  if (scroller === null) return false;
  return scroller.scrollTop > 0 || scroller.matches(':hover, :focus-within, :focus');
}

function sendKey(scroller: HTMLElement | null, key: string): void {
  scroller?.focus({ preventScroll: true });
  scroller?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
}

/** Filter and order of the list, as encoded in its URL. */
interface ListQuery {
  readonly filter: Filter;
  readonly sort: Sort;
}

/** Parses filter and order from a query. */
function parseListQuery(query: URLSearchParams): ListQuery {
  const [kind, state, status] = [query.get('kind'), query.get('state'), query.get('status')];
  const text = query.get('q');
  return {
    filter: {
      ...(kind ? { kind } : {}),
      ...(state ? { state } : {}),
      ...(status ? { status } : {}),
      ...(text ? { text } : {}),
    },
    sort: parseSort(query.get('sort')),
  };
}

/** Returns the URL of the list with a filter and order. */
function listUrl({ filter, sort }: ListQuery): string {
  const { text, ...rest } = filter;
  const isUsual = formatSort(sort) === formatSort(DEFAULT_SORT);
  return consoleUrl(['actors'], { ...rest, q: text, sort: isUsual ? undefined : formatSort(sort) });
}

/** Writes filter and order to the address bar, so that a reload or a link restores them. */
function storeListQuery(wish: ListQuery): void {
  navigate(listUrl(wish), { replace: true });
}
