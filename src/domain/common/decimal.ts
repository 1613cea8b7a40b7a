import { AppError } from './error.ts';
import { trimEndChars } from './text.ts';

/** Maximum number of decimal places in computations. */
export const PLACES_MAX = 18;

const SCALE = 10n ** BigInt(PLACES_MAX);
const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,18}))?$/;

/** Returns whether a text is a plain decimal: no exponent, at most 30 digits and 18 places. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/**
 * Parses a decimal as an integer multiple of 10^-18.
 *
 * @throws {AppError} `INVARIANT` if the text is not a plain decimal.
 */
export function parseDecimal(text: string): bigint {
  const [, sign, integerPart, places = ''] = DECIMAL.exec(text) ?? [];
  if (integerPart === undefined) {
    throw new AppError('INVARIANT', { message: 'a decimal is digits with an optional point' });
  }
  const value = BigInt(integerPart) * SCALE + BigInt(places.padEnd(PLACES_MAX, '0'));
  return sign === '-' ? -value : value;
}

/** Formats an integer multiple of 10^-18 as a decimal without trailing zeros. */
export function formatDecimal(value: bigint): string {
  const size = value < 0n ? -value : value;
  const places = trimEndChars((size % SCALE).toString().padStart(PLACES_MAX, '0'), '0');
  const sign = value < 0n ? '-' : '';
  return `${sign}${size / SCALE}${places === '' ? '' : `.${places}`}`;
}

/**
 * Formats a finite number as a decimal, rounded to a number of places.
 *
 * @throws {AppError} `INVARIANT` for numbers that a decimal cannot represent.
 */
export function toDecimal(value: number, places: number): string {
  const text = value.toFixed(places);
  return formatDecimal(parseDecimal(text));
}

/** Returns `part` as a percentage of `total`, truncated to six places. */
export function computePercent(part: bigint, total: bigint): bigint {
  const sixPlaces = (part * 100n * 1_000_000n) / total;
  return sixPlaces * (SCALE / 1_000_000n);
}

/** Returns the median, or the mean of the two middle values. Requires at least one value. */
export function computeMedian(values: readonly string[]): string {
  const sorted = values.map(parseDecimal).sort((a, b) => (a < b ? -1 : Number(a > b)));
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0n;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0n;
  return formatDecimal((upper + lower) / 2n);
}
