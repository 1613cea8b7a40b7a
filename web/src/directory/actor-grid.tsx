import type { JSX, RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { useIsPhone } from '../parts/use-media.ts';
import { type RowWindow, useRowWindow } from '../parts/virtual-window.ts';
import { COLUMNS } from './actor-cells.tsx';
import type { Entry } from './directory.ts';
import { nextSort, type Sort, type SortColumn } from './sort.ts';

/** Heights of rows and of the header in CSS pixels; must match the style sheet. */
export const ROW_PX = { laptop: 32, phone: 64, head: 32 } as const;

/** Properties of the actor list. */
export interface ActorGridProps {
  readonly entries: readonly Entry[];
  readonly sort: Sort;
  readonly scroller: RefObject<HTMLDivElement | null>;
  setSort(sort: Sort): void;
  open(id: string): void;
}

/** The list of actors; renders only visible rows. */
export function ActorGrid(props: ActorGridProps): JSX.Element {
  const { entries, scroller } = props;
  const isPhone = useIsPhone();
  const rowPx = isPhone ? ROW_PX.phone : ROW_PX.laptop;
  const headPx = isPhone ? 0 : ROW_PX.head;
  const [activeId, setActiveId] = useState<string | null>(null);
  const active = activeId === null ? -1 : entries.findIndex(({ row }) => row.id === activeId);
  const rows = useRowWindow(scroller, rowPx, entries.length);
  const handleKey = (event: KeyboardEvent): void => {
    const id = entries[active]?.row.id;
    if (event.key === 'Enter' && id !== undefined) {
      props.open(id);
      return;
    }
    const pageRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowPx) - 2);
    const next = nextIndex(event, { active, count: entries.length, pageRows });
    if (next === null) return;
    event.preventDefault();
    setActiveId(entries[next]?.row.id ?? null);
    scrollToRow(scroller.current, next, { rowPx, headPx });
  };
  return (
    <div
      ref={scroller}
      class="actor-grid"
      role="grid"
      aria-label="Actors"
      aria-rowcount={entries.length + 1}
      aria-colcount={COLUMNS.length}
      aria-activedescendant={active < 0 ? undefined : rowId(active)}
      tabIndex={0}
      onKeyDown={handleKey}
    >
      <HeaderRow sort={props.sort} setSort={props.setSort} />
      <div role="rowgroup" class="actor-rows" style={{ height: `${entries.length * rowPx}px` }}>
        {renderedRows(rows, active, entries.length).map((index) => {
          const entry = entries[index];
          return entry === undefined ? null : (
            <Row
              key={entry.row.id}
              entry={entry}
              index={index}
              topPx={index * rowPx}
              isActive={index === active}
              open={props.open}
            />
          );
        })}
      </div>
    </div>
  );
}

function HeaderRow(props: { readonly sort: Sort; setSort(sort: Sort): void }): JSX.Element {
  const { sort, setSort } = props;
  return (
    <div role="rowgroup" class="actor-heads">
      <div role="row" class="actor-row" aria-rowindex={1}>
        {COLUMNS.map(({ name, title, sort: by }) => (
          <div key={name} role="columnheader" class={`is-${name}`} aria-sort={ariaSort(sort, by)}>
            {by === null ? (
              title
            ) : (
              <button type="button" class="sort-button" onClick={() => setSort(nextSort(sort, by))}>
                {title}
                <span aria-hidden="true">
                  {sort.by !== by ? '' : sort.isDescending ? ' ↓' : ' ↑'}
                </span>
              </button>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}

function Row(props: {
  readonly entry: Entry;
  readonly index: number;
  readonly topPx: number;
  readonly isActive: boolean;
  open(id: string): void;
}): JSX.Element {
  const { row, isPurged } = props.entry;
  const opened = (event: MouseEvent): void => {
    // The browser handles a click on a link, including new tabs.
    const isOnLink = event.target instanceof Element && event.target.closest('a') !== null;
    if (!isOnLink) props.open(row.id);
  };
  return (
    // The grid has the focus and handles keys.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid opens the active row with Enter
    <div
      id={rowId(props.index)}
      role="row"
      class={`actor-row${isPurged ? ' is-gone' : ''}`}
      aria-rowindex={props.index + 2}
      aria-selected={props.isActive}
      style={{ transform: `translateY(${props.topPx}px)` }}
      onClick={opened}
    >
      {COLUMNS.map(({ name, cell }) => (
        <div key={name} role="gridcell" class={`is-${name}`}>
          {cell(row)}
        </div>
      ))}
    </div>
  );
}

function rowId(index: number): string {
  return `actor-row-${index}`;
}

function ariaSort(sort: Sort, by: SortColumn | null): 'ascending' | 'descending' | undefined {
  if (sort.by !== by) return undefined;
  return sort.isDescending ? 'descending' : 'ascending';
}

/** Returns the visible rows and the active one, which screen readers must find in the page. */
function renderedRows({ start, end }: RowWindow, active: number, count: number): readonly number[] {
  const inside = Array.from({ length: end - start }, (_, offset) => start + offset);
  const isInside = active >= start && active < end;
  return isInside || active < 0 || active >= count ? inside : [...inside, active];
}

function nextIndex(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  {
    active,
    count,
    pageRows,
  }: { readonly active: number; readonly count: number; readonly pageRows: number },
): number | null {
  if (count === 0 || ctrlKey || metaKey || altKey) return null;
  const wanted: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active - 1,
    k: active - 1,
    PageDown: active + pageRows,
    PageUp: active - pageRows,
    Home: 0,
    End: count - 1,
  };
  const next = wanted[key];
  return next === undefined ? null : Math.min(count - 1, Math.max(0, next));
}

function scrollToRow(
  scroller: HTMLElement | null,
  index: number,
  { rowPx, headPx }: { readonly rowPx: number; readonly headPx: number },
): void {
  if (scroller === null) return;
  const [top, bottom] = [index * rowPx, (index + 1) * rowPx + headPx];
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + scroller.clientHeight) {
    scroller.scrollTop = bottom - scroller.clientHeight;
  }
}
