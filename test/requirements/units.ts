import { createHash } from 'node:crypto';

/** One checkable piece of a specification: a heading, sentence, list item, table row or clause. */
export interface Unit {
  /** `<document><section>.<kind><ordinal>[.c<clause>]`, such as `C4.3.t12` or `H2.s3`. */
  readonly id: string;
  readonly text: string;
  /** First 16 hex digits of SHA-256 over the normalised text. */
  readonly hash: string;
}

/** Short name of a specification, the first letter of its unit ids. */
export type DocumentLetter = 'C' | 'H';

interface Cutter {
  section: string;
  readonly counts: Map<string, number>;
  readonly units: Unit[];
}

/**
 * Cuts a specification into units. Kinds: `h` heading, `s` sentence, `i` list item, `th` table
 * head, `t` table row; each counts from 1 within its section. What holds several sentences or
 * semicolon clauses is cut again into `.c1`, `.c2` …; a clause of a row keeps the row's first cell.
 */
export function cutUnits(markdown: string, letter: DocumentLetter): readonly Unit[] {
  const cutter: Cutter = { section: `${letter}0`, counts: new Map(), units: [] };
  let inTable = false;
  for (const line of markdown.split('\n').map((raw) => raw.trim())) {
    if (line.startsWith('|')) {
      if (!inTable) add(cutter, 'th', [cells(line).join(' | ')]);
      else if (!/^\|[\s|:-]+$/.test(line)) add(cutter, 't', rowClauses(cells(line)));
      inTable = true;
      continue;
    }
    inTable = false;
    cutLine(cutter, line, letter);
  }
  return cutter.units;
}

/** First 16 hex digits of SHA-256 over a text with white space collapsed. */
export function unitHash(text: string): string {
  return createHash('sha256').update(normalise(text)).digest('hex').slice(0, 16);
}

function cutLine(cutter: Cutter, line: string, letter: DocumentLetter): void {
  const heading = /^(#+)\s+(.*)$/.exec(line);
  const item = /^(?:-|\d+\.)\s+(.*)$/.exec(line);
  if (heading !== null) {
    const title = heading[2] ?? '';
    cutter.section = sectionOf(title, cutter.section, letter);
    add(cutter, 'h', [title]);
  } else if (item !== null) add(cutter, 'i', clauses(item[1] ?? ''));
  else for (const sentence of sentences(line)) add(cutter, 's', splitOutside(sentence, ';'));
}

// `4.3 Tools` counts as section 4.3; an unnumbered `Key Value` under section 4 as 4.key-value.
function sectionOf(title: string, current: string, letter: DocumentLetter): string {
  const number = /^(\d+(?:\.\d+)*)\.?\s/.exec(title)?.[1];
  if (number !== undefined) return `${letter}${number}`;
  const slug = title.toLowerCase().replace(/\W+/g, '-');
  return current === `${letter}0` ? current : `${current.split('.')[0]}.${slug}`;
}

function add(cutter: Cutter, kind: string, texts: readonly string[]): void {
  const key = `${cutter.section}.${kind}`;
  const ordinal = (cutter.counts.get(key) ?? 0) + 1;
  cutter.counts.set(key, ordinal);
  texts.forEach((text, at) => {
    const id = texts.length === 1 ? `${key}${ordinal}` : `${key}${ordinal}.c${at + 1}`;
    cutter.units.push({ id, text: normalise(text), hash: unitHash(text) });
  });
}

function cells(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

function rowClauses(row: readonly string[]): string[] {
  const [first = '', ...rest] = row;
  const [head = '', ...more] = clauses(rest.join(' | '));
  return [`${first} | ${head}`, ...more.map((clause) => `${first} | ${clause}`)];
}

function clauses(text: string): string[] {
  return sentences(text).flatMap((sentence) => splitOutside(sentence, ';'));
}

function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]["')]?)\s+(?=[A-Z(<])/).filter((part) => part !== '');
}

function splitOutside(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function normalise(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
