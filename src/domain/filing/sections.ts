import { findItemHeadings, findParts, type ItemHeading, type Part } from './item-headings.ts';

/** A section of a filing under its item heading. */
export interface FilingSection {
  /** Such as `1A`, `2.02`, or `1 and 2` for a shared section. */
  readonly item: string;
  /** The individual items of the section. */
  readonly items: readonly string[];
  /** Part of the report; both parts of a quarterly report number their items from 1. */
  readonly part: Part | null;
  readonly title: string;
  readonly text: string;
}

/** Maximum number of sections per document. */
export const SECTIONS_MAX = 60;

const TITLE_CHARS_MAX = 200;
/** Sections shorter than this may be entries of a table of contents. */
const CONTENTS_CHARS_MAX = 200;

/** An item heading with its part, or the start of another part. */
interface SectionMark {
  /** Marks with the same name form one section. */
  readonly name: string;
  readonly at: number;
  readonly head: ItemHeading | null;
  readonly part: Part | null;
}

/**
 * Splits a filing into sections at its item headings.
 *
 * A document also names its items in the table of contents and within sentences. For each item,
 * sure headings take precedence; among them the one with the longest text wins.
 */
export function splitSections(text: string): readonly FilingSection[] {
  const marks = listMarks(text);
  const best = new Map<string, { readonly mark: SectionMark; readonly section: FilingSection }>();
  const ends = findSectionEnds(marks, text.length);
  for (const [index, mark] of marks.entries()) {
    if (mark.head === null) continue;
    const body = text.slice(mark.head.textAt, ends[index]).trim();
    const section = readSection(mark, mark.head, body);
    const known = best.get(mark.name);
    const isLonger = section.text.length > (known?.section.text.length ?? 0);
    if (isLonger && !isContentsEntry(section)) best.set(mark.name, { mark, section });
  }
  return [...best.values()]
    .sort((one, other) => one.mark.at - other.mark.at)
    .slice(0, SECTIONS_MAX)
    .map(({ section }) => section);
}

/**
 * Returns whether a section belongs to the requested item: `1A`, or with its part `II.1A`. Without
 * a part, any part matches.
 */
export function matchesItem({ items, part }: FilingSection, requested: string): boolean {
  const [wantedPart, item] = /^[IV]/.test(requested)
    ? requested.split(/\.(.*)/)
    : [part, requested];
  return items.includes(item ?? '') && (part ?? 'I') === (wantedPart ?? 'I');
}

/** Lists headings and part starts in order, without headings that a sure one overrides. */
function listMarks(text: string): readonly SectionMark[] {
  const heads = findItemHeadings(text);
  const entries = [...heads.map((head) => ({ at: head.at, head })), ...findParts(text)];
  entries.sort((one, other) => one.at - other.at);
  const marks: SectionMark[] = [];
  let current: Part | null = null;
  for (const entry of entries) {
    const { at } = entry;
    if ('part' in entry) {
      // Many reports repeat the part name at the top of each page.
      if (entry.part !== current) marks.push({ name: 'part', at, head: null, part: entry.part });
      current = entry.part;
      continue;
    }
    const { head } = entry;
    const title = head.title === '' ? findNextLine(text, head.textAt) : head.title;
    current = head.part ?? findPartByTitle(head.items, title) ?? current;
    marks.push({ name: nameSection(head.items, current), at, head, part: current });
  }
  const sure = new Set(marks.filter(({ head }) => head?.isSure).map(({ name }) => name));
  return marks.filter(({ head, name }) => head === null || head.isSure || !sure.has(name));
}

/** Only items 1 to 4 of a quarterly report occur in both parts. */
function nameSection(items: readonly string[], part: Part | null): string {
  const name = items.join(' and ');
  return part === 'II' && /^[1-4](?:[A-C]|$)/.test(items[0] ?? '') ? `II.${name}` : name;
}

/** Titles of the items in both parts of a quarterly report. */
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

/** Returns the end of each section: the next mark with another name. */
function findSectionEnds(marks: readonly SectionMark[], textEnd: number): readonly number[] {
  const ends: number[] = [];
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const next = marks[index + 1];
    const isSame = next?.name === marks[index]?.name;
    ends[index] = (isSame ? ends[index + 1] : next?.at) ?? textEnd;
  }
  return ends;
}

/** Uses the line below the heading as title if the heading has none. */
function readSection(
  { part }: SectionMark,
  { items, title }: ItemHeading,
  body: string,
): FilingSection {
  const named = { item: items.join(' and '), items, part };
  if (title !== '') return { ...named, title, text: body };
  const [first = '', ...rest] = body.split('\n');
  const isTitle = first.length <= TITLE_CHARS_MAX && rest.length > 0;
  return isTitle
    ? { ...named, title: first.trim(), text: rest.join('\n').trim() }
    : { ...named, title: '', text: body };
}

/** Returns whether a section is a table of contents entry with nothing but page numbers. */
function isContentsEntry({ title, text }: FilingSection): boolean {
  if (text.length >= CONTENTS_CHARS_MAX) return false;
  const isPaged = (line: string) => /(?:^|[\s.])(?:\d{1,3}|[ivx]+)$/i.test(line.trim());
  return isPaged(title) || text.split('\n').every(isPaged);
}
