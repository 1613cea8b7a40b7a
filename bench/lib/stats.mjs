// Medians, means, spread, ratios within a round, and tables in Markdown.

/** The middle value; of an even count the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** The arithmetic mean. */
export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Largest minus smallest value, over the median, in percent. */
export function spreadPercent(values) {
  return Math.round(((Math.max(...values) - Math.min(...values)) / median(values)) * 100);
}

/** The value below which the share `p` of all values lies. */
export function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];
}

/**
 * Median of the ratios that were taken round by round, so that a slow minute of the machine hits
 * both sides of a ratio.
 */
export function roundRatio(rows, baseRows, key) {
  const base = new Map(baseRows.map((row) => [row.round, row[key]]));
  const ratios = rows
    .filter((row) => base.has(row.round))
    .map((row) => row[key] / base.get(row.round));
  return ratios.length === 0 ? undefined : median(ratios);
}

/** Groups rows by the text that `keyOf` gives, in order of appearance. */
export function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

/** A Markdown table. Cells are texts or numbers. */
export function table(head, lines) {
  const row = (cells) => `| ${cells.join(' | ')} |\n`;
  return row(head) + row(head.map(() => '---')) + lines.map(row).join('');
}

/** A number with `digits` decimals, or a dash where there is none. */
export function fixed(value, digits) {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(digits);
}
