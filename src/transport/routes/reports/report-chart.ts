import { DataValue } from '../../../domain/data/value.ts';
import { isObject } from '../../../domain/json.ts';
import { shown } from '../html.ts';

/** A figure with its name, as a bar or a point. */
export interface ChartPoint {
  readonly label: string;
  readonly value: number;
  /** The figure as it was answered. */
  readonly text: string;
}

/** Figures of one unit that are shown together. */
export interface Chart {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly ChartPoint[];
}

/** Bars of one chart at the most; the table below has all rows. */
const BARS_MAX = 30;
const POINTS_MIN = 2;
const LABEL_CHARS_MAX = 40;

/**
 * The charts that rows of an answer give: one for each member that is a figure of one unit in all
 * of them. Rows whose unit differs are no chart: they cannot be compared.
 */
export function chartsOf(rows: readonly unknown[]): readonly Chart[] {
  const objects = rows.filter(isObject);
  const [first] = objects;
  if (first === undefined || objects.length < POINTS_MIN || objects.length !== rows.length) {
    return [];
  }
  const labelled = Object.keys(first).find((name) => typeof first[name] === 'string');
  return Object.keys(first).flatMap((name) => {
    const values = objects.map((row) => DataValue.safeParse(row[name]).data);
    const unit = values[0]?.unit;
    if (unit === undefined || values.some((value) => value?.unit !== unit)) return [];
    const points = objects.slice(0, BARS_MAX).map((row, place) => ({
      label: labelOf(labelled === undefined ? undefined : row[labelled], place),
      value: Number(values[place]?.value),
      text: values[place]?.value ?? '',
    }));
    return [{ name, unit, points }];
  });
}

const ROW = { height: 24, label: 250, bar: 420, figure: 150 } as const;
const TEXT = 'font-size="13" fill="currentColor" font-family="system-ui,sans-serif"';

/** A chart as horizontal bars from zero; below zero they go to the left. */
export function drawBars({ name, unit, points }: Chart): string {
  const low = Math.min(0, ...points.map(({ value }) => value));
  const high = Math.max(0, ...points.map(({ value }) => value));
  const scale = high === low ? 0 : ROW.bar / (high - low);
  const zero = ROW.label - low * scale;
  const height = points.length * ROW.height + 8;
  const width = ROW.label + ROW.bar + ROW.figure;
  const bars = points.map(({ label, value, text }, place) => {
    const top = place * ROW.height + 4;
    const from = value < 0 ? zero + value * scale : zero;
    const long = Math.max(1, Math.abs(value) * scale);
    return (
      `<text x="${ROW.label - 8}" y="${top + 15}" text-anchor="end" ${TEXT}>` +
      `${shown(label)}</text><rect x="${coordinate(from)}" y="${top + 3}" ` +
      `width="${coordinate(long)}" height="15" rx="2" fill="#2f6fb3"/>` +
      `<text x="${ROW.label + ROW.bar + 8}" y="${top + 15}" ${TEXT}>${shown(text)}</text>`
    );
  });
  return (
    `<figure><figcaption>${shown(name)} (${shown(unit)})</figcaption>` +
    `<svg role="img" aria-label="${shown(`${name} in ${unit}`)}" ` +
    `viewBox="0 0 ${width} ${height}" xmlns="http://www.w3.org/2000/svg">` +
    `<line x1="${coordinate(zero)}" x2="${coordinate(zero)}" y1="0" y2="${height}" ` +
    `stroke="currentColor" stroke-width="1"/>${bars.join('')}</svg></figure>`
  );
}

function labelOf(value: unknown, place: number): string {
  const text = typeof value === 'string' ? value : `${place + 1}`;
  return text.length > LABEL_CHARS_MAX ? `${text.slice(0, LABEL_CHARS_MAX - 1)}…` : text;
}

function coordinate(value: number): string {
  return value.toFixed(1);
}
