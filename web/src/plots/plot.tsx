import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { formatClock, formatDateTime } from '../parts/times.tsx';
import { PlotCanvas, type PlotSeries } from './plot-canvas.tsx';
import { LINE_COLORS } from './plot-colors.ts';
import './plots.css';

/** Properties of a plot. */
export interface PlotProps {
  readonly title: string;
  /** Milliseconds since 1970, one per sample. */
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
  readonly format: (value: number | null) => string;
  /** Allowed tick distances of the value axis. */
  readonly steps?: readonly number[];
  /** Formats a time; default: the time of day. */
  readonly timeWords?: (at: number) => string;
  /** Accessible name of the table's content; default: the last minute. */
  readonly tableWords?: string;
}

/** Number of newest samples in the table. */
const TABLE_ROWS = 60;
/** Number of samples that Page Up and Page Down move by. */
const PAGE = 60;

/** A line chart over time, with the current or selected values and a table as text. */
export function Plot(props: PlotProps): JSX.Element {
  const { title, times, series, format, steps, timeWords = formatClock } = props;
  const [chosen, setChosen] = useState<number | null>(null);
  const [isTable, setTable] = useState(false);
  const titleId = useId();
  const at = chosen !== null && chosen < times.length ? chosen : null;
  const shown = at ?? times.length - 1;
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = nextIndex(event.key, shown, times.length);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
  };
  return (
    <section class="panel plot" aria-labelledby={titleId}>
      <header class="plot-head">
        <h2 id={titleId}>{title}</h2>
        <button
          type="button"
          class="button is-quiet"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          Table
        </button>
      </header>
      <Values {...props} at={at} />
      {isTable ? (
        <PlotTable {...props} />
      ) : (
        <div
          class="plot-lines"
          role="slider"
          tabIndex={0}
          aria-label={`${title}: time`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, times.length - 1)}
          aria-valuenow={Math.max(0, shown)}
          aria-valuetext={formatValueText(props, shown)}
          onKeyDown={onKeyDown}
          onBlur={() => setChosen(null)}
        >
          <PlotCanvas
            times={times}
            series={series}
            format={format}
            steps={steps}
            at={at}
            timeWords={timeWords}
            onPoint={setChosen}
          />
        </div>
      )}
    </section>
  );
}

/** The values at a selected time, or now. */
function Values({
  times,
  series,
  format,
  at,
  timeWords = formatClock,
}: PlotProps & { readonly at: number | null }): JSX.Element {
  const shown = at ?? times.length - 1;
  return (
    <dl class="plot-now">
      {series.map(({ label, values }, place) => (
        <div key={label}>
          <dt>
            <span
              class="plot-key"
              style={{ background: `var(${LINE_COLORS[place] ?? '--text'})` }}
            />
            {label}
          </dt>
          <dd>{format(values[shown] ?? null)}</dd>
        </div>
      ))}
      <div class="plot-when">
        <dt>Time</dt>
        <dd>{at === null ? 'now' : <PlotTime at={times[at] ?? 0} timeWords={timeWords} />}</dd>
      </div>
    </dl>
  );
}

/** A formatted time; the tooltip has the date, and `datetime` the exact instant. */
function PlotTime({
  at,
  timeWords,
}: {
  readonly at: number;
  readonly timeWords: (at: number) => string;
}): JSX.Element {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {timeWords(at)}
    </time>
  );
}

function PlotTable({
  title,
  times,
  series,
  format,
  timeWords = formatClock,
  tableWords = 'last minute',
}: PlotProps): JSX.Element {
  const newest = times.map((_time, at) => at).slice(-TABLE_ROWS);
  return (
    <div class="plot-table" tabIndex={0} role="region" aria-label={`${title}, ${tableWords}`}>
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newest.reverse().map((at) => (
            <tr key={times[at]}>
              <td>
                <PlotTime at={times[at] ?? 0} timeWords={timeWords} />
              </td>
              {series.map(({ label, values }) => (
                <td key={label} class="is-number">
                  {format(values[at] ?? null)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the sample index for a key: `null` for now, `undefined` if the key is not handled. */
export function nextIndex(key: string, from: number, count: number): number | null | undefined {
  if (count === 0) return undefined;
  const within = (at: number): number => Math.min(count - 1, Math.max(0, at));
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return within(from - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return within(from + 1);
    case 'PageDown':
      return within(from - PAGE);
    case 'PageUp':
      return within(from + PAGE);
    case 'Home':
      return 0;
    case 'End':
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}

function formatValueText(
  { times, series, format, timeWords = formatClock }: PlotProps,
  at: number,
): string {
  const time = times[at];
  if (time === undefined) return 'no data yet';
  const values = series.map(({ label, values: of }) => `${label} ${format(of[at] ?? null)}`);
  return `${timeWords(time)}: ${values.join(', ')}`;
}
