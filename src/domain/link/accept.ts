import { AppError } from '../common/error.ts';

/** Status codes that count as working by default. */
export const ACCEPT_DEFAULT = '200..=206';
/** Maximum length of an accept expression, in characters. */
export const ACCEPT_CHARS_MAX = 200;

/** A closed range of status codes. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

const PART = /^(\d{3})(?:\.\.(=?)(\d{3}))?$/;

/**
 * Parses the accepted status codes: a comma-separated list of `200`, `200..=206` (inclusive) and
 * `200..300` (exclusive), in the syntax of lychee. Codes range from 100 to 599.
 *
 * @throws {AppError} `INPUT_INVALID` with the invalid part.
 */
export function parseAccept(text: string): readonly StatusRange[] {
  return text.split(',').map((part) => parsePart(part.trim()));
}

/** Checks whether a status is in one of the ranges. */
export function isAccepted(status: number, ranges: readonly StatusRange[]): boolean {
  return ranges.some((range) => status >= range.from && status <= range.to);
}

function parsePart(part: string): StatusRange {
  const [, first, closing, last] = PART.exec(part) ?? [];
  const from = Number(first);
  const to = last === undefined ? from : Number(last) - (closing === '=' ? 0 : 1);
  if (first !== undefined && from >= 100 && to <= 599 && from <= to) return { from, to };
  throw new AppError('INPUT_INVALID', {
    message: '`accept` must be a comma-separated list of codes and ranges such as 200..=206,304.',
    data: { field: 'accept', received: part.slice(0, ACCEPT_CHARS_MAX), allowed: ACCEPT_DEFAULT },
  });
}
