import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Rows rendered beyond each end of the visible range, so that scrolling shows no gap. */
const SPARE_ROWS = 8;

/** The rendered rows: from `start` up to, but excluding, `end`. */
export interface RowWindow {
  readonly start: number;
  readonly end: number;
}

/** Computes the rows to render at a scroll position. */
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

/** Returns the rows to render for the current scroll position of an element. */
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
