import { formatDecimal, PLACES_MAX, parseDecimal } from '../common/decimal.ts';

const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** Digits before the point that are read at the most. */
const WHOLE_DIGITS_MAX = 30;

/**
 * Writes a numeral as upstreams give it (a JSON number, or a text with any count of places or an
 * exponent) as a plain decimal, cut after 18 places.
 *
 * @returns `undefined` for what is no finite numeral, or has more than 30 digits before the point.
 */
export function plainDecimal(numeral: number | string): string | undefined {
  const [, sign = '', whole, places = '', exponent = '0'] = NUMERAL.exec(String(numeral)) ?? [];
  if (whole === undefined) return undefined;
  const shift = Number(exponent);
  // All digits stand in one row; the point is moved along it.
  const digits = `${whole}${places}`;
  const point = whole.length + shift;
  const before = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const after = point < 0 ? '0'.repeat(-point) + digits : digits.slice(Math.max(0, point));
  const plainWhole = before.replace(/^0+(?=\d)/, '');
  if (plainWhole.length > WHOLE_DIGITS_MAX) return undefined;
  const cut = after.slice(0, PLACES_MAX);
  return formatDecimal(parseDecimal(`${sign}${plainWhole}${cut === '' ? '' : `.${cut}`}`));
}

/** As {@link plainDecimal}, and `undefined` for what is not above zero. */
export function positiveDecimal(numeral: unknown): string | undefined {
  if (typeof numeral !== 'number' && typeof numeral !== 'string') return undefined;
  const plain = plainDecimal(numeral);
  return plain !== undefined && parseDecimal(plain) > 0n ? plain : undefined;
}

/** Divides decimals, cut after 18 places. `undefined` where that is zero or has no end. */
export function divideDecimals(part: string, whole: string): string | undefined {
  const divisor = parseDecimal(whole);
  if (divisor === 0n) return undefined;
  const quotient = (parseDecimal(part) * 10n ** BigInt(PLACES_MAX)) / divisor;
  return quotient === 0n ? undefined : formatDecimal(quotient);
}

/** How far one price is above or below another, in hundredths of a percent, two places. */
export function offsetBps(price: string, from: string): string {
  const hundredths = ((parseDecimal(price) - parseDecimal(from)) * 1_000_000n) / parseDecimal(from);
  return formatDecimal(hundredths * 10n ** BigInt(PLACES_MAX - 2));
}
