import { AppError } from './error.ts';
import { trimEndOf } from './text.ts';

/** Most places behind the point that are computed with. */
export const PLACES_MAX = 18;

const SCALE = 10n ** BigInt(PLACES_MAX);
const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,18}))?$/;

/** Tells whether a text is a plain decimal: no exponent, at most 30 digits and 18 places. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/**
 * Reads a decimal as a whole number of 10^-18.
 *
 * @throws {AppError} `INVARIANT` for anything but a plain decimal.
 */
export function parseDecimal(text: string): bigint {
  const [, sign, whole, places = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) {
    throw new AppError('INVARIANT', { message: 'a decimal is plain digits with a point' });
  }
  const value = BigInt(whole) * SCALE + BigInt(places.padEnd(PLACES_MAX, '0'));
  return sign === '-' ? -value : value;
}

/** Writes a whole number of 10^-18 as a decimal without needless zeros. */
export function formatDecimal(value: bigint): string {
  const size = value < 0n ? -value : value;
  const places = trimEndOf((size % SCALE).toString().padStart(PLACES_MAX, '0'), '0');
  const sign = value < 0n ? '-' : '';
  return `${sign}${size / SCALE}${places === '' ? '' : `.${places}`}`;
}

/**
 * Writes a finite number as a decimal, rounded to a count of places.
 *
 * @throws {AppError} `INVARIANT` for numbers that a decimal cannot hold.
 */
export function decimalOf(value: number, places: number): string {
  const text = value.toFixed(places);
  return formatDecimal(parseDecimal(text));
}

/** The share that `part` is of `whole`, in percent, cut after six places. */
export function percentOf(part: bigint, whole: bigint): bigint {
  const sixPlaces = (part * 100n * 1_000_000n) / whole;
  return sixPlaces * (SCALE / 1_000_000n);
}

/** The middle of decimals, or the mean of the two in the middle. There is at least one. */
export function medianOf(values: readonly string[]): string {
  const sorted = values.map(parseDecimal).sort((a, b) => (a < b ? -1 : Number(a > b)));
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0n;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0n;
  return formatDecimal((upper + lower) / 2n);
}
