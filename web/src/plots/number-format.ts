const DIGITS = 3;
const UNIT_BYTES = 1024;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats a number with three significant digits; `null` as a dash. */
export function formatNumber(value: number | null): string {
  if (value === null) return '–';
  if (value === 0) return '0';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(DIGITS)));
}

/** Formats milliseconds; from 1,000 on as seconds. */
export function formatMilliseconds(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1000 ? `${formatNumber(ms)} ms` : `${formatNumber(ms / 1000)} s`;
}

/** Formats bytes in the largest fitting binary unit. */
export function formatBytes(value: number | null): string {
  if (value === null) return '–';
  let size = value;
  let at = 0;
  while (size >= UNIT_BYTES && at < UNITS.length - 1) {
    size /= UNIT_BYTES;
    at += 1;
  }
  return `${formatNumber(size)} ${UNITS[at]}`;
}

/** Tick distances of a byte axis: powers of two, which give round labels. */
export const BYTE_STEPS: readonly number[] = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** Tick distances of a count axis: whole numbers. */
export const COUNT_STEPS: readonly number[] = Array.from(
  { length: 13 },
  (_, power) => power,
).flatMap((power) => [1, 2, 5].map((first) => first * 10 ** power));

/** Formats a share as a percentage; a small positive share as `< 0.1 %`. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.001) return '< 0.1 %';
  return `${formatNumber(share * 100)} %`;
}
