import { Parser } from 'htmlparser2';
import { yieldToEventLoop } from '../../domain/common/yield-to-event-loop.ts';
import type { FailureCode } from '../../domain/data/data-failure.ts';

/** Most nested elements. Typical pages have about 50. */
export const DEPTH_MAX = 256;
/** Most elements of a page. Typical pages have about 1,600. */
export const ELEMENTS_MAX = 20_000;
/** Characters parsed between two checks of the counts. */
const PIECE_CHARS = 65_536;

/**
 * Checks that a page is small enough for the extractor, whose time grows with the square of the
 * depth: 20 KB of nested elements keep it busy for minutes. Parses the page once, yields to the
 * event loop between chunks, and stops at the first limit.
 */
export async function checkPageSize(html: string): Promise<FailureCode | undefined> {
  let depth = 0;
  let elements = 0;
  let fault: FailureCode | undefined;
  const parser = new Parser({
    onopentagname: () => {
      depth += 1;
      elements += 1;
      if (depth > DEPTH_MAX) fault ??= 'too_deep';
      if (elements > ELEMENTS_MAX) fault ??= 'too_large';
      if (fault !== undefined) parser.pause();
    },
    onclosetag: () => {
      depth -= 1;
    },
  });
  for (let at = 0; at < html.length && fault === undefined; at += PIECE_CHARS) {
    parser.write(html.slice(at, at + PIECE_CHARS));
    await yieldToEventLoop();
  }
  // The rest is not parsed after a limit is reached.
  if (fault === undefined) parser.end();
  return fault;
}
