import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows rendered beyond each end of the visible range. */
const MARGIN_ROWS = 8;
/** Height of a row in CSS pixels; must match the style sheet. */
export const ROW_PX = 30;

/** Properties of a virtual list. */
export interface VirtualRowsProps {
  readonly id: string;
  readonly label: string;
  readonly count: number;
  /** Index of the selected row; it is scrolled into view when it changes. */
  readonly selected: number | null;
  /** Scrolls to the end when rows are added. */
  readonly isFollowing: boolean;
  row(index: number): JSX.Element;
  choose(index: number): void;
}

/** A list that renders only visible rows; select by arrow keys or click. */
export function VirtualRows(props: VirtualRowsProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 300 });
  const { count, selected, isFollowing } = props;
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    if (isFollowing) element.scrollTop = count * ROW_PX;
    else if (selected !== null) scrollToRow(element, selected);
    setView({ top: element.scrollTop, height: element.clientHeight });
  }, [count, selected, isFollowing]);
  const first = Math.max(0, Math.floor(view.top / ROW_PX) - MARGIN_ROWS);
  const last = Math.min(count, Math.ceil((view.top + view.height) / ROW_PX) + MARGIN_ROWS);
  const keyed = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(view.height / ROW_PX) - 1);
    const from = selected ?? count - 1;
    const to = {
      ArrowUp: from - 1,
      ArrowDown: from + 1,
      PageUp: from - page,
      PageDown: from + page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined || count === 0) return;
    event.preventDefault();
    props.choose(Math.min(count - 1, Math.max(0, to)));
  };
  const clicked = ({ target }: MouseEvent): void => {
    const option = target instanceof Element ? target.closest('[data-index]') : null;
    const index = option?.getAttribute('data-index');
    if (index !== null && index !== undefined) props.choose(Number(index));
    // The list handles the keys, so it takes the focus.
    list.current?.focus({ preventScroll: true });
  };
  return (
    <div
      ref={list}
      class="rows"
      role="listbox"
      aria-label={props.label}
      aria-activedescendant={selected === null ? undefined : `${props.id}-${selected}`}
      tabIndex={0}
      onKeyDown={keyed}
      onClick={clicked}
      onScroll={({ currentTarget }) =>
        setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
    >
      <div class="rows-all" style={{ height: `${count * ROW_PX}px` }}>
        {indexRange(first, last).map((index) => (
          <div
            key={index}
            id={`${props.id}-${index}`}
            class={`rows-one${index === selected ? ' is-chosen' : ''}`}
            role="option"
            aria-selected={index === selected}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ top: `${index * ROW_PX}px` }}
            tabIndex={-1}
            data-index={index}
          >
            {props.row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

function indexRange(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
}

function scrollToRow(element: HTMLElement, index: number): void {
  const top = index * ROW_PX;
  if (top < element.scrollTop) element.scrollTop = top;
  const bottom = top + ROW_PX;
  if (bottom > element.scrollTop + element.clientHeight) {
    element.scrollTop = bottom - element.clientHeight;
  }
}
