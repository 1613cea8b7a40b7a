/** A heading line of a filing that starts one or more items. */
export interface ItemHeading {
  /** Such as `1A`, `16D` or `2.02`; several for a line such as `Items 1 and 2`. */
  readonly items: readonly string[];
  readonly title: string;
  readonly at: number;
  readonly textAt: number;
  /** Part of the report that the heading itself names. */
  readonly part: Part | null;
  /**
   * True if the title is written like a title; other headings count only if an item has no such
   * one.
   */
  readonly isSure: boolean;
}

/** Part of a report. */
export type Part = 'I' | 'II' | 'III' | 'IV';

const ITEM = String.raw`\d{1,2}(?:[A-K](?![\p{L}\p{N}])|\.\d{2}(?!\d))?`;
const ITEM_SEPARATOR = String.raw`\.?[^\S\n]*(?:,[^\S\n]*and|,|and|&|/|through|to|[-–—])[^\S\n]*`;
const HEADING = new RegExp(
  String.raw`^[^\S\n]*(?:PART[^\S\n]+(I{1,3}|IV)\b[,.;:—–\s-]{0,9})?ITEMS?[^\S\n]+` +
    String.raw`(${ITEM}(?:${ITEM_SEPARATOR}(?:ITEMS?[^\S\n]+)?${ITEM}){0,9})(?![\p{L}\p{N}])` +
    String.raw`([.:)—–-]?)[.:)—–\s-]{0,9}(.*)$`,
  'gimu',
);
const PART = /^[^\S\n]*PART[^\S\n]+(I{1,3}|IV)\b([^\n]*)$/gim;

const TITLE_CHARS_MAX = 200;
const PART_TITLE_CHARS_MAX = 80;
/** Matches a continuation that refers to an item within a sentence. */
const SENTENCE = /^(?:[a-z,;)“”"‘’'(]|(?:of|in|and|or|above|below)\b)/;
/** Matches a line end after which the sentence continues. */
const CONTINUES = /(?:\b(?:in|see|under|and|or|of|to|with|by|the|our|both|per)|[,“"(])$/i;
/** Maximum number of lower-case words in a title that are not known title words. */
const UNKNOWN_WORDS_MAX = 2;

/** Finds the lines that start an item. Ignores references within sentences. */
export function findItemHeadings(text: string): readonly ItemHeading[] {
  return [...text.matchAll(HEADING)].flatMap((match): readonly ItemHeading[] => {
    const [line, part, numbers = '', mark, rest = ''] = match;
    const items = listItems(numbers);
    const { title, lead } = splitTitle(rest.trim());
    const before = text.slice(Math.max(0, match.index - 100), match.index).trimEnd();
    if (items.length === 0 || title.length > TITLE_CHARS_MAX || CONTINUES.test(before)) return [];
    if (SENTENCE.test(title) || /\bitems?\s+\d/i.test(title)) return [];
    const unknown = countUnknownWords(title);
    const isSure = unknown === 0;
    if (!isSure && (mark === '' || unknown > UNKNOWN_WORDS_MAX)) return [];
    const textAt = match.index + line.length - lead.length;
    const named = part === undefined ? null : (part.toUpperCase() as Part);
    return [{ items, title, at: match.index, textAt, part: named, isSure }];
  });
}

/** Finds the lines that start a part of the report. */
export function findParts(text: string): readonly { readonly part: Part; readonly at: number }[] {
  return [...text.matchAll(PART)].flatMap(({ 1: part = '', 2: rest = '', index }) => {
    const title = rest.replace(/^[.,:;—–\s-]{1,9}/, '');
    const isReference = title.length > PART_TITLE_CHARS_MAX || SENTENCE.test(title);
    return isReference || /^item/i.test(title)
      ? []
      : [{ part: part.toUpperCase() as Part, at: index }];
  });
}

/** Lists the items in `1 and 2`, `7/7A` or `10 through 14`. */
function listItems(numbers: string): readonly string[] {
  const items: string[] = [];
  let isRange = false;
  for (const [token] of numbers.matchAll(new RegExp(`${ITEM}|through|to|[-–—]`, 'giu'))) {
    if (!/\d/.test(token)) {
      isRange = true;
      continue;
    }
    const [first, last] = [Number(items.at(-1)), Number(token)];
    if (isRange && last - first > 1 && last - first < 10) {
      for (let item = first + 1; item < last; item += 1) items.push(String(item));
    }
    items.push(token.toUpperCase());
    isRange = false;
  }
  return [...new Set(items)];
}

/** Splits a title from text on the same line: `Legal Proceedings. None.` */
function splitTitle(rest: string): { readonly title: string; readonly lead: string } {
  const end = /[.:;]\s|\s[—–]\s/.exec(rest.slice(0, TITLE_CHARS_MAX));
  if (end === null) return { title: rest, lead: '' };
  return { title: rest.slice(0, end.index), lead: rest.slice(end.index + end[0].length).trim() };
}

/** Counts lower-case words that do not occur in item titles. */
function countUnknownWords(title: string): number {
  const words = title.split(/[^\p{L}\p{N}’'&-]+/u);
  return words.filter((word) => {
    const plain = word.replace(/[’']s?$/, '');
    return /^\p{Ll}/u.test(plain) && !TITLE_WORDS.has(plain);
  }).length;
}

/** Words in the item titles of the forms 10-K, 10-Q, 8-K and 20-F. */
const TITLE_WORDS: ReadonlySet<string> = new Set(
  [
    'a an the and or of in for about with on to by from at as its that other than not no if any',
    'accountant accountants accounting acquisition additional advisers affiliated agreement',
    'amendments analysis applicable appointment arrangements arrearages articles assets audit',
    'beneficial business bylaws certain certifying change changes code comments committee',
    'committees common company compensation completion condition continued control controls',
    'corporate cybersecurity data debt default defaults definitive delinquencies departure',
    'description director directors disagreements disclosure disclosures discussion disposition',
    'dividend election employees entry equity ethics event events executive exemptions exhibit',
    'exhibits expected expert factors fees financial foreign form governance holders identity',
    'independence indenture information insider inspections interim issuer jurisdictions key',
    'legal listing management market mask material matters mine modification modifications none',
    'non-reliance obligation off-balance offer officers operating operation operations owners',
    'ownership party plan policies prevent previously principal procedures proceeds proceedings',
    'properties property prospects purchasers purchases qualitative quantitative regarding',
    'registrant related results review rights risk safety sales schedule schedules securities',
    'security selected senior services shareholder shareholders standards statement statements',
    'statistics stockholder stockholders submission summary supplementary termination timetable',
    'trading transactions unregistered unresolved staff use vote reserved omitted overview',
  ]
    .join(' ')
    .split(' '),
);
