import { findItemHeads, findParts, type ItemHead, type Part } from './item-heads.ts';

/** A part of a filing under its item, as the document has it. */
export interface FilingSection {
  /** Such as `1A`, `2.02` or `1 and 2` where the document has one section for both. */
  readonly item: string;
  /** The items of that section, one by one. */
  readonly items: readonly string[];
  /** The part that it stands in: both parts of a quarterly report number their items from 1. */
  readonly part: Part | null;
  readonly title: string;
  readonly text: string;
}

/** Sections of one document at the most. */
export const SECTIONS_MAX = 60;

const TITLE_CHARS_MAX = 200;
/** Less text than this under a head may be what stands between lines of a table of contents. */
const CONTENTS_CHARS_MAX = 200;

/** A head with the part that it stands in, or the beginning of another part. */
interface Mark {
  /** Marks with one name are one section. */
  readonly name: string;
  readonly at: number;
  readonly head: ItemHead | null;
  readonly part: Part | null;
}

/**
 * Cuts a filing at its item heads. A document names its items in its table of contents and refers
 * to them within sentences: of heads of one item a sure one goes before others, then the one with
 * the most text under it.
 */
export function sectionsOf(text: string): readonly FilingSection[] {
  const marks = listMarks(text);
  const best = new Map<string, { readonly mark: Mark; readonly section: FilingSection }>();
  const ends = findSectionEnds(marks, text.length);
  for (const [index, mark] of marks.entries()) {
    if (mark.head === null) continue;
    const body = text.slice(mark.head.textAt, ends[index]).trim();
    const section = readSection(mark, mark.head, body);
    const known = best.get(mark.name);
    const isLonger = section.text.length > (known?.section.text.length ?? 0);
    if (isLonger && !isContents(section)) best.set(mark.name, { mark, section });
  }
  return [...best.values()]
    .sort((one, other) => one.mark.at - other.mark.at)
    .slice(0, SECTIONS_MAX)
    .map(({ section }) => section);
}

/**
 * Tells whether a section is of the item that is asked for: `1A`, or with its part `II.1A`. An item
 * without a part is of any.
 */
export function isOfItem({ items, part }: FilingSection, asked: string): boolean {
  const [wantedPart, item] = /^[IV]/.test(asked) ? asked.split(/\.(.*)/) : [part, asked];
  return items.includes(item ?? '') && (part ?? 'I') === (wantedPart ?? 'I');
}

/** Heads and beginnings of parts in their order, without the heads that a sure one overrules. */
function listMarks(text: string): readonly Mark[] {
  const heads = findItemHeads(text);
  const places = [...heads.map((head) => ({ at: head.at, head })), ...findParts(text)];
  places.sort((one, other) => one.at - other.at);
  const marks: Mark[] = [];
  let current: Part | null = null;
  for (const place of places) {
    const { at } = place;
    if ('part' in place) {
      // Many reports repeat the name of the part at the top of each page.
      if (place.part !== current) marks.push({ name: 'part', at, head: null, part: place.part });
      current = place.part;
      continue;
    }
    const { head } = place;
    const title = head.title === '' ? findNextLine(text, head.textAt) : head.title;
    current = head.part ?? findPartByTitle(head.items, title) ?? current;
    marks.push({ name: nameSection(head.items, current), at, head, part: current });
  }
  const sure = new Set(marks.filter(({ head }) => head?.isSure).map(({ name }) => name));
  return marks.filter(({ head, name }) => head === null || head.isSure || !sure.has(name));
}

/** Only the items 1 to 4 are in two parts: of a quarterly report. */
function nameSection(items: readonly string[], part: Part | null): string {
  const name = items.join(' and ');
  return part === 'II' && /^[1-4](?:[A-C]|$)/.test(items[0] ?? '') ? `II.${name}` : name;
}

/** What the items of the two parts of a quarterly report are called. */
const QUARTERLY_TITLES: readonly (readonly [string, RegExp, Part])[] = [
  ['1', /financial statements/i, 'I'],
  ['2', /management.s discussion/i, 'I'],
  ['3', /quantitative and qualitative/i, 'I'],
  ['4', /controls and procedures/i, 'I'],
  ['1', /legal proceedings/i, 'II'],
  ['2', /unregistered|use of proceeds|issuer purchases/i, 'II'],
  ['3', /defaults? upon/i, 'II'],
];

function findPartByTitle(items: readonly string[], title: string): Part | undefined {
  return QUARTERLY_TITLES.find(([item, words]) => items[0] === item && words.test(title))?.[2];
}

function findNextLine(text: string, from: number): string {
  return (
    text
      .slice(from, from + 2 * TITLE_CHARS_MAX)
      .trimStart()
      .split('\n', 1)[0] ?? ''
  );
}

/** Where each section ends: at the next mark of another one. */
function findSectionEnds(marks: readonly Mark[], textEnd: number): readonly number[] {
  const ends: number[] = [];
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const next = marks[index + 1];
    const isSame = next?.name === marks[index]?.name;
    ends[index] = (isSame ? ends[index + 1] : next?.at) ?? textEnd;
  }
  return ends;
}

/** A head may stand alone, with its title on the line below. */
function readSection({ part }: Mark, { items, title }: ItemHead, body: string): FilingSection {
  const named = { item: items.join(' and '), items, part };
  if (title !== '') return { ...named, title, text: body };
  const [first = '', ...rest] = body.split('\n');
  const isTitle = first.length <= TITLE_CHARS_MAX && rest.length > 0;
  return isTitle
    ? { ...named, title: first.trim(), text: rest.join('\n').trim() }
    : { ...named, title: '', text: body };
}

/** A line of a table of contents: nothing but numbers of pages stands under it, or beside it. */
function isContents({ title, text }: FilingSection): boolean {
  if (text.length >= CONTENTS_CHARS_MAX) return false;
  const isPaged = (line: string) => /(?:^|[\s.])(?:\d{1,3}|[ivx]+)$/i.test(line.trim());
  return isPaged(title) || text.split('\n').every(isPaged);
}
