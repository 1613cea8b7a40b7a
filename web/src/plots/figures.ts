const DIGITS = 3;
const STEP = 1024;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A number to three digits; a dash where there is none. */
export function figure(value: number | null): string {
  if (value === null) return '–';
  if (value === 0) return '0';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(DIGITS)));
}

/** Milliseconds, as seconds from one second on. */
export function duration(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1000 ? `${figure(ms)} ms` : `${figure(ms / 1000)} s`;
}

/** Bytes in the largest fitting unit. */
export function bytes(value: number | null): string {
  if (value === null) return '–';
  let size = value;
  let at = 0;
  while (size >= STEP && at < UNITS.length - 1) {
    size /= STEP;
    at += 1;
  }
  return `${figure(size)} ${UNITS[at]}`;
}

/** Distances of the marks of an axis of bytes: powers of two, so that each is a round figure. */
export const BYTE_STEPS: readonly number[] = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** Distances of the marks of an axis of counts, which knows no halves. */
export const COUNT_STEPS: readonly number[] = Array.from(
  { length: 13 },
  (_, power) => power,
).flatMap((power) => [1, 2, 5].map((first) => first * 10 ** power));

/** A share in percent; what is there but small is not written as none. */
export function percent(share: number): string {
  if (share > 0 && share < 0.001) return '< 0.1 %';
  return `${figure(share * 100)} %`;
}
