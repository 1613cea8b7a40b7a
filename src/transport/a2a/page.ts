import { AppError } from '../../domain/common/error.ts';
import { readCount } from '../proof/replies.ts';

/** Default and largest number of rows per page. */
export const PAGE_ROWS_MAX = 100;
const CURSOR_CHARS_MAX = 400;

/**
 * Reads the page parameters of a listing.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function readPage({
  cursor,
  limit,
}: {
  readonly cursor?: string;
  readonly limit?: string;
}): { readonly cursor?: string; readonly limit: number } {
  const rows = limit === undefined ? PAGE_ROWS_MAX : readCount('limit', limit, PAGE_ROWS_MAX);
  if (rows === 0 || (cursor?.length ?? 0) > CURSOR_CHARS_MAX) {
    const allowedRows = `1 to ${PAGE_ROWS_MAX}`;
    throw new AppError('INPUT_INVALID', {
      message: `\`limit\` must be ${allowedRows}; \`cursor\` must come from the previous page.`,
      data: {
        received: { limit: rows, cursor_chars: cursor?.length ?? 0 },
        allowed: { limit: allowedRows, cursor_chars: CURSOR_CHARS_MAX },
      },
    });
  }
  return { limit: rows, ...(cursor === undefined ? {} : { cursor }) };
}
