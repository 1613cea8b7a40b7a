import { Parser } from 'htmlparser2';
import { nextTurn } from '../../domain/common/next-turn.ts';
import type { FaultCode } from '../../domain/data/fault.ts';

/** Elements inside each other at the most. Pages of the wild have about 50. */
export const DEPTH_MAX = 256;
/** Elements of a page at the most. Pages of the wild have about 1,600. */
export const ELEMENTS_MAX = 20_000;
/** Characters that are looked at between two looks at the counts. */
const PIECE_CHARS = 65_536;

/**
 * Tells whether a page may be given to the extractor, whose time grows with the depth squared:
 * 20 KB of nested elements keep it busy for minutes. Reads once, with a turn
 * for everybody else between two pieces, and stops at the first bound.
 */
export async function guardPage(html: string): Promise<FaultCode | undefined> {
  let depth = 0;
  let elements = 0;
  let fault: FaultCode | undefined;
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
    await nextTurn();
  }
  // What is left is not parsed any more once a bound is reached.
  if (fault === undefined) parser.end();
  return fault;
}
