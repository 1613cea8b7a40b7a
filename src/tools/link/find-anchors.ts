import { Parser } from 'htmlparser2';
import { limitDepth } from '../../domain/common/markup-depth.ts';
import { yieldToEventLoop } from '../../domain/common/yield-to-event-loop.ts';

/** Maximum bytes of a page to search for anchors; larger pages stay unknown. */
export const ANCHOR_PAGE_BYTES = 2_000_000;
const PIECE_CHARS = 65_536;

/** Returns which of the wanted anchors a page has, by `id` or by the `name` of a link. */
export async function findAnchors(
  html: string,
  wanted: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const record = (anchor: string | undefined): void => {
    if (anchor !== undefined && wanted.has(anchor)) found.add(anchor);
  };
  const parser = new Parser(
    limitDepth(
      {
        onopentag: (name, { id, name: named }) => {
          record(id);
          if (name === 'a') record(named);
        },
      },
      () => parser.pause(),
    ),
  );
  for (let at = 0; at < html.length && found.size < wanted.size; at += PIECE_CHARS) {
    parser.write(html.slice(at, at + PIECE_CHARS));
    await yieldToEventLoop();
  }
  return found;
}

/**
 * Returns the anchor of a fragment; `undefined` for fragments that need none (the top of the page)
 * and those that only scripts understand (`#/route`, `#!x`, text fragments).
 */
export function anchorOf(fragment: string): string | undefined {
  if (fragment === '' || fragment.toLowerCase() === 'top') return undefined;
  if (/^[/!]|:~:/.test(fragment)) return undefined;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
