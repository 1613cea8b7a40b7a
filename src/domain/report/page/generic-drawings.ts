import { isObject } from '../../common/json.ts';
import { DataValue } from '../../data/value.ts';
import { drawBars, ROWS_MAX } from '../../drawing/bars.ts';
import type { Drawing } from '../../drawing/svg.ts';
import { summarizeSources } from './render-value.ts';

/** Minimum number of values for a chart. */
const BARS_MIN = 2;
/** Maximum depth of charted rows. */
const DEPTH_MAX = 6;
/** Maximum number of charts per answer. */
const DRAWINGS_MAX = 12;

/**
 * Draws charts for rows of unknown shape: one for each member that is a value of the same unit in
 * all rows of a list. Rows with different units are not comparable and are skipped.
 */
export function drawGenericCharts(data: unknown): readonly Drawing[] {
  return collectRows(data, 0).flatMap(drawRowCharts).slice(0, DRAWINGS_MAX);
}

function collectRows(part: unknown, depth: number): readonly (readonly unknown[])[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(part)) return [part, ...part.flatMap((item) => collectRows(item, depth + 1))];
  if (!isObject(part)) return [];
  return Object.values(part).flatMap((item) => collectRows(item, depth + 1));
}

function drawRowCharts(rows: readonly unknown[]): readonly Drawing[] {
  const objects = rows.filter(isObject);
  const [first] = objects;
  if (first === undefined || objects.length < BARS_MIN || objects.length !== rows.length) return [];
  const labelled = Object.keys(first).find((name) => typeof first[name] === 'string');
  return Object.keys(first).flatMap((name) => {
    const values = objects.flatMap((row) => DataValue.safeParse(row[name]).data ?? []);
    const [{ unit } = { unit: '' }] = values;
    const isOneUnit = values.every((value) => value.unit === unit);
    if (values.length !== objects.length || !isOneUnit) return [];
    const bars = objects.map((row, index) => ({
      label: toLabel(labelled === undefined ? undefined : row[labelled], index),
      value: Number(values[index]?.value),
      text: values[index]?.value ?? '',
    }));
    const more = bars.length > ROWS_MAX ? ` The first ${ROWS_MAX}.` : '';
    return [
      {
        title: name.replaceAll('_', ' '),
        note: `${unit}.${more}`,
        svg: drawBars(`${name} in ${unit}`, bars),
        ...summarizeSources(values),
      },
    ];
  });
}

function toLabel(value: unknown, place: number): string {
  return typeof value === 'string' ? value : `${place + 1}`;
}
