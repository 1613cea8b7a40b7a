import { readFileSync } from 'node:fs';
import { checkSync } from 'recheck';
import { expect, test } from 'vitest';
import { parse, readFiles } from '../tidy/files.ts';
import { type FoundPattern, patternsIn } from './patterns.ts';
import { patternHash, readList, readVerdicts } from './text/listed.ts';
import { hashOf, placesIn } from './text/places.ts';

const FILES = [...readFiles('src', /\.(?:ts|mjs)$/), ...readFiles('web/src', /\.tsx?$/)];
const LIST = readList();
const PATTERNS = FILES.flatMap(patternsIn);
const RECHECK_MS = 10_000;

test('every place where a text is taken apart is on the list, and nothing else is', () => {
  const found = FILES.map((file) => ({ path: file.path, places: placesIn(file) }))
    .filter(({ places }) => places.patterns.length + places.parsers.length > 0)
    .map(({ path, places }) => [path, hashOf(places)] as const);
  const listed = Object.entries(LIST.files).map(([path, { hash }]) => [path, hash] as const);
  const rows = (all: readonly (readonly [string, string])[]) => all.map((row) => row.join(' '));
  const [here, there] = [new Set(rows(found)), new Set(rows(listed))];
  // Say who writes the text, and what bounds it, in test/adversary/text/places.json.
  expect(rows(found).filter((row) => !there.has(row))).toEqual([]);
  expect(rows(listed).filter((row) => !here.has(row))).toEqual([]);
});

test('every bound of the list is a constant of the source with that value', () => {
  for (const [name, { file, constant, chars }] of Object.entries(LIST.bounds)) {
    const text = readFileSync(file, 'utf8');
    const [, written = ''] =
      new RegExp(`\\b${constant}(?: =|:) ([\\d_* ]+)[;,]`).exec(text) ??
      new RegExp(`\\b${constant} = ([^;]+);`).exec(text) ??
      [];
    const value = written
      .split('*')
      .reduce((product, part) => product * Number(part.trim().replaceAll('_', '')), 1);
    expect({ name, value }).toEqual({ name, value: chars });
  }
  const used = Object.values(LIST.files).flatMap((one) =>
    'bound' in one ? [one.bound, ...Object.values(one.closer ?? {})] : [],
  );
  expect(new Set(used)).toEqual(new Set(Object.keys(LIST.bounds)));
});

test('what a checker cannot call linear is measured, and the verdicts name no other pattern', () => {
  const { linear, measured } = readVerdicts();
  const known = new Set([...linear, ...measured]);
  const closed = PATTERNS.filter(({ isOpen }) => !isOpen);
  // Put the hash where the checker says it belongs, in test/adversary/text/verdicts.json.
  expect(closed.filter((one) => !known.has(patternHash(one))).map(judged)).toEqual([]);
  const there = new Set(closed.map(patternHash));
  expect([...known].filter((hash) => !there.has(hash))).toEqual([]);
  const hashes = new Map(FILES.map((file) => [file.path, patternsIn(file).map(patternHash)]));
  const gone = Object.entries(LIST.files).flatMap(([path, one]) =>
    Object.keys(('bound' in one && one.closer) || {}).filter(
      (hash) => !hashes.get(path)?.includes(hash),
    ),
  );
  expect(gone).toEqual([]);
});

test('a new place in a listed file changes its hash, wherever it stands', () => {
  const hash = (text: string) => hashOf(placesIn(parse('src/a.ts', text)));
  const before = "const a = /x/; JSON.parse(b); f('c');";
  expect(hash(`\n// moved\n${before}`)).toBe(hash(before));
  const added = [
    ...[
      '/y/.test(a);',
      'new RegExp(a);',
      "joinPattern('i', 'y');",
      'JSON.parse(c);',
      'new URL(a);',
    ],
    ...['atob(a);', "Buffer.from(a, 'base64');", 'new Parser({});', 'BigInt(a);', 'a.segment(b);'],
  ];
  for (const one of added) expect([one, hash(`${before}${one}`)]).not.toEqual([one, hash(before)]);
});

test('a checker is asked for what has no verdict, and knows the shapes of the findings', () => {
  const anchor = '<a\\b[^>]*href\\s*=\\s*["\']?([^\\s"\'>]+)[^>]*>([\\s\\S]{1,200}?)<\\/a>';
  for (const source of [anchor, '\\s*\\n\\s*', '[\\w-]*(?:secret|token)[\\w-]*\\s*[:=]', '\\/+$']) {
    expect(judged({ ...EMPTY, source, flags: 'gi' })).toMatch(/measured/);
  }
  expect(judged({ ...EMPTY, source: '[a-z]+', flags: '' })).toMatch(/linear/);
});

const EMPTY: FoundPattern = { file: 'a.ts', line: 1, source: '', flags: '', isOpen: false };

function judged(one: FoundPattern): string {
  process.env['RECHECK_BACKEND'] = 'pure';
  const told = checkSync(one.source, one.flags, { timeout: RECHECK_MS });
  const list = told.status === 'safe' ? 'linear' : `measured (${told.status})`;
  return `${one.file}:${one.line} /${one.source}/${one.flags}: ${patternHash(one)} is ${list}`;
}
