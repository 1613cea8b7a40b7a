const PATTERN =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;
const FRACTION_DIGITS = 9;
const NANOS_PER_MS = 1_000_000n;
const NANOS_PER_SECOND = 1_000_000_000n;

/**
 * Parses an RFC 3339 time with up to nine fractional digits.
 *
 * @returns Nanoseconds since 1970-01-01T00:00:00Z; `undefined` for any other text, for leap seconds
 * and for days that do not exist.
 */
export function parseInstant(text: string): bigint | undefined {
  const parts = PATTERN.exec(text);
  if (parts === null) return undefined;
  const [, date = '', time = '', fraction = '', , sign, hours = '0', minutes = '0'] = parts;
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const seconds = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(seconds)) return undefined;
  // `Date.parse` rolls 30 February over into March.
  if (!new Date(seconds).toISOString().startsWith(`${date}T${time}`)) return undefined;
  const offsetMin = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = BigInt(seconds) * NANOS_PER_MS + BigInt(fraction.padEnd(FRACTION_DIGITS, '0'));
  return local - BigInt(offsetMin) * 60n * NANOS_PER_SECOND;
}

/** Parses an RFC 3339 time to milliseconds since 1970, rounded down; `undefined` for other text. */
export function parseInstantMs(text: string): number | undefined {
  const nanos = parseInstant(text);
  return nanos === undefined ? undefined : Number(floorToMs(nanos));
}

/** Formats nanoseconds since 1970 as RFC 3339 in UTC with nine fractional digits. */
export function formatInstant(nanos: bigint): string {
  const ms = floorToMs(nanos);
  const rest = nanos - ms * NANOS_PER_MS;
  const [whole = ''] = new Date(Number(ms)).toISOString().split('Z');
  return `${whole}${rest.toString().padStart(6, '0')}Z`;
}

function floorToMs(nanos: bigint): bigint {
  const ms = nanos / NANOS_PER_MS;
  return nanos % NANOS_PER_MS < 0n ? ms - 1n : ms;
}
