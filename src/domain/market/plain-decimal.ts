import { formatDecimal, PLACES_MAX, parseDecimal } from '../common/decimal.ts';

const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Maximum number of digits before the decimal point. */
const WHOLE_DIGITS_MAX = 30;

/**
 * Formats a numeral of a data source as a plain decimal, truncated to 18 places. The input is a
 * JSON number or a text with any number of places or an exponent.
 *
 * @returns `undefined` for anything but a finite numeral with at most 30 digits before the point.
 */
export function toPlainDecimal(numeral: number | string): string | undefined {
  const [, sign = '', whole, places = '', exponent = '0'] = NUMERAL.exec(String(numeral)) ?? [];
  if (whole === undefined) return undefined;
  const shift = Number(exponent);
  // All digits are in one string; the exponent moves the point.
  const digits = `${whole}${places}`;
  const point = whole.length + shift;
  const before = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const after = point < 0 ? '0'.repeat(-point) + digits : digits.slice(Math.max(0, point));
  const plainWhole = before.replace(/^0+(?=\d)/, '');
  if (plainWhole.length > WHOLE_DIGITS_MAX) return undefined;
  const cut = after.slice(0, PLACES_MAX);
  return formatDecimal(parseDecimal(`${sign}${plainWhole}${cut === '' ? '' : `.${cut}`}`));
}

/** Like {@link toPlainDecimal}, but returns `undefined` unless the value is above zero. */
export function toPositiveDecimal(numeral: unknown): string | undefined {
  if (typeof numeral !== 'number' && typeof numeral !== 'string') return undefined;
  const plain = toPlainDecimal(numeral);
  return plain !== undefined && parseDecimal(plain) > 0n ? plain : undefined;
}

/**
 * Divides two decimals, truncated to 18 places. `undefined` if the divisor or the result is zero.
 */
export function divideDecimals(dividend: string, divisorText: string): string | undefined {
  const divisor = parseDecimal(divisorText);
  if (divisor === 0n) return undefined;
  const quotient = (parseDecimal(dividend) * 10n ** BigInt(PLACES_MAX)) / divisor;
  return quotient === 0n ? undefined : formatDecimal(quotient);
}

/** Returns the relative offset of a price from another, in basis points with two decimal places. */
export function computeOffsetBps(price: string, from: string): string {
  const hundredths = ((parseDecimal(price) - parseDecimal(from)) * 1_000_000n) / parseDecimal(from);
  return formatDecimal(hundredths * 10n ** BigInt(PLACES_MAX - 2));
}
