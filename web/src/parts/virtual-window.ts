import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Rows drawn above and below what is seen, so that a slow scroll shows no gap. */
const SPARE_ROWS = 8;

/** The rows that are drawn: from `start` up to, without, `end`. */
export interface RowWindow {
  readonly start: number;
  readonly end: number;
}

/** Which rows of a list are seen at a place of its scroller. */
export function rowWindow(
  { top, height }: { readonly top: number; readonly height: number },
  rowHeight: number,
  count: number,
): RowWindow {
  const first = Math.floor(top / rowHeight) - SPARE_ROWS;
  const last = Math.ceil((top + height) / rowHeight) + SPARE_ROWS;
  const end = Math.min(count, Math.max(0, last));
  return { start: Math.min(end, Math.max(0, first)), end };
}

/** Follows a scroller and tells which rows to draw; drawn at most once a frame. */
export function useRowWindow(
  scroller: RefObject<HTMLElement | null>,
  rowHeight: number,
  count: number,
): RowWindow {
  const [view, setView] = useState({ top: 0, height: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const measure = (): void => {
      const next = { top: element.scrollTop, height: element.clientHeight };
      setView((last) => (last.top === next.top && last.height === next.height ? last : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  return rowWindow(view, rowHeight, count);
}
