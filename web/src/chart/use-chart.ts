import { useEffect, useState } from 'preact/hooks';
import { errorMessage } from '../connection/request-error.ts';
import { type ChartFiles, type ChartWidth, loadChart } from './chart-files.ts';

/** Widest window that gets the narrow chart, in CSS pixels. */
const NARROW_MAX_PX = 700;

/** Delay before a failed load is retried, in milliseconds. */
const RETRY_MS = 2_000;

/** State of loading a chart. */
export type ChartState =
  | { readonly name: 'waiting' }
  | { readonly name: 'there'; readonly files: ChartFiles }
  | { readonly name: 'unknown' }
  | { readonly name: 'failed'; readonly words: string };

/** Loads the chart of a machine for the width of this window; retries after a failure. */
export function useChart(kind: string): ChartState {
  const width = useChartWidth();
  const [state, setState] = useState<ChartState>({ name: 'waiting' });
  useEffect(() => {
    let isNewest = true;
    let again: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      loadChart(kind, width).then(
        (files) =>
          isNewest && setState(files === null ? { name: 'unknown' } : { name: 'there', files }),
        (thrown: unknown) => {
          if (!isNewest) return;
          setState({ name: 'failed', words: errorMessage(thrown) });
          again = setTimeout(read, RETRY_MS);
        },
      );
    };
    read();
    return () => {
      isNewest = false;
      clearTimeout(again);
    };
  }, [kind, width]);
  return state;
}

function useChartWidth(): ChartWidth {
  const [query] = useState(() => matchMedia(`(max-width: ${NARROW_MAX_PX}px)`));
  const [isNarrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const changed = (): void => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return isNarrow ? 'narrow' : 'wide';
}
