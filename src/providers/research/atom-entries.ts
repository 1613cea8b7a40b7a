import { Parser } from 'htmlparser2';
import { limitDepth } from '../../domain/common/markup-depth.ts';
import { yieldToEventLoop } from '../../domain/common/yield-to-event-loop.ts';

/** Most entries of one answer. */
const ENTRIES_MAX = 100;
/** Characters parsed per event loop turn. */
const PIECE_CHARS = 65_536;
const FIELDS = ['id', 'title', 'summary', 'published'] as const;

/** An entry of an Atom feed. Missing fields are empty strings. */
export type AtomEntry = Record<(typeof FIELDS)[number], string>;

/** Parses the entries of an Atom feed. Returns `undefined` for other text, or if it is cut off. */
export async function parseAtomEntries(text: string): Promise<readonly AtomEntry[] | undefined> {
  const isFeed = /<feed[\s>]/.test(text.slice(0, 4_000));
  if (!isFeed || !text.trimEnd().endsWith('</feed>')) return undefined;
  const entries: AtomEntry[] = [];
  const open: string[] = [];
  let entry: AtomEntry | undefined;
  const parser = new Parser(
    limitDepth(
      {
        onopentagname: (name) => {
          open.push(name);
          if (name === 'entry') entry = { id: '', title: '', summary: '', published: '' };
        },
        ontext: (part) => {
          const field = FIELDS.find((one) => one === open.at(-1));
          // Authors and links have fields with the same names, one level deeper.
          if (entry !== undefined && field !== undefined && open.at(-2) === 'entry') {
            entry[field] += part;
          }
        },
        onclosetag: (name) => {
          open.pop();
          if (name !== 'entry' || entry === undefined) return;
          if (entries.length < ENTRIES_MAX) entries.push(normalizeEntry(entry));
          entry = undefined;
        },
      },
      () => parser.pause(),
    ),
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    parser.write(text.slice(at, at + PIECE_CHARS));
    await yieldToEventLoop();
  }
  parser.end();
  return entries;
}

function normalizeEntry(entry: AtomEntry): AtomEntry {
  const line = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  return {
    id: line(entry.id),
    title: line(entry.title),
    summary: line(entry.summary),
    published: line(entry.published),
  };
}
