/** A part of a filing under its item, as the document has it. */
export interface FilingSection {
  /** Such as `1A` or `2.02`. */
  readonly item: string;
  readonly title: string;
  readonly text: string;
}

/** Sections of one document at the most. */
export const SECTIONS_MAX = 60;

interface Head {
  readonly item: string;
  readonly title: string;
  readonly at: number;
  readonly textAt: number;
}

const HEAD = /^[ \t]*(?:PART\s+I{1,3}[,.\s]+)?ITEM\s+(\d{1,2}(?:[A-C]|\.\d{2})?)[.:\s—–-]*(.*)$/gim;
const TITLE_CHARS_MAX = 200;
/** A line that goes on like this refers to an item within a sentence. */
const SENTENCE = /^(?:[a-z,;)”"’]|[(“"]?(?:of|in|and|above|below)\b)/;
/** A head with less text before the next head is a line of the table of contents. */
const BODY_CHARS_MIN = 200;

/**
 * Cuts a filing at its item heads. A document names its items in its table of contents and refers
 * to them within sentences: a head stands on a line of its own, and of heads of one item the one
 * with the most text under it is the section.
 */
export function sectionsOf(text: string): readonly FilingSection[] {
  const heads = [...text.matchAll(HEAD)].flatMap((match): readonly Head[] => {
    const [line, item = '', title = ''] = match;
    if (title.length > TITLE_CHARS_MAX || SENTENCE.test(title)) return [];
    const textAt = match.index + line.length;
    return [{ item: item.toUpperCase(), title, at: match.index, textAt }];
  });
  const best = new Map<string, { readonly head: Head; readonly body: string }>();
  const ends = findSectionEnds(heads, text.length);
  for (const [index, head] of heads.entries()) {
    const body = text.slice(head.textAt, ends[index]).trim();
    const known = best.get(head.item);
    if (known === undefined || body.length > known.body.length) best.set(head.item, { head, body });
  }
  return [...best.values()]
    .filter(({ body }) => body.length >= BODY_CHARS_MIN)
    .sort((one, other) => one.head.at - other.head.at)
    .slice(0, SECTIONS_MAX)
    .map(({ head, body }) => withTitle(head, body));
}

/** Where each section ends: at the next head of another item. */
function findSectionEnds(heads: readonly Head[], textEnd: number): readonly number[] {
  const ends: number[] = [];
  for (let index = heads.length - 1; index >= 0; index -= 1) {
    const next = heads[index + 1];
    const isSame = next?.item === heads[index]?.item;
    ends[index] = (isSame ? ends[index + 1] : next?.at) ?? textEnd;
  }
  return ends;
}

/** A head may stand alone, with its title on the line below. */
function withTitle({ item, title }: Head, body: string): FilingSection {
  const own = title.trim();
  if (own !== '') return { item, title: own, text: body };
  const [first = '', ...rest] = body.split('\n');
  const isTitle = first.length <= TITLE_CHARS_MAX && rest.length > 0;
  return isTitle
    ? { item, title: first.trim(), text: rest.join('\n').trim() }
    : { item, title: '', text: body };
}
