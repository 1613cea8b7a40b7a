import { AppError } from '../common/error.ts';

/** Status codes that count as working when the caller does not say. */
export const ACCEPT_DEFAULT = '200..=206';
/** Most characters of an accept expression. */
export const ACCEPT_CHARS_MAX = 200;

/** A closed range of status codes. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

const PART = /^(\d{3})(?:\.\.(=?)(\d{3}))?$/;

/**
 * Reads which status codes count as working: a comma list of `200`, `200..=206` (with its end) and
 * `200..300` (without its end), as lychee writes them. Codes lie in 100..=599.
 *
 * @throws {AppError} `INPUT_INVALID` naming the part that cannot be read.
 */
export function parseAccept(text: string): readonly StatusRange[] {
  return text.split(',').map((part) => parsePart(part.trim()));
}

/** Tells whether a status lies in one of the ranges. */
export function isAccepted(status: number, ranges: readonly StatusRange[]): boolean {
  return ranges.some((range) => status >= range.from && status <= range.to);
}

function parsePart(part: string): StatusRange {
  const [, first, closing, last] = PART.exec(part) ?? [];
  const from = Number(first);
  const to = last === undefined ? from : Number(last) - (closing === '=' ? 0 : 1);
  if (first !== undefined && from >= 100 && to <= 599 && from <= to) return { from, to };
  throw new AppError('INPUT_INVALID', {
    message: '`accept` is a comma list of codes and ranges such as 200..=206,304.',
    data: { field: 'accept', received: part.slice(0, ACCEPT_CHARS_MAX), allowed: ACCEPT_DEFAULT },
  });
}
