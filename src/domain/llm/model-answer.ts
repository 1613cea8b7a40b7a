import { canonicalJson, isObject, type Json } from '../common/json.ts';
import { trimEndOf } from '../common/text.ts';
import { readLenient } from './lenient-json.ts';

/** A parsed answer, or its errors, one per line. */
export type Reading<T> =
  | { readonly ok: true; readonly answer: T }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Budget for the search of values, in characters. A character may be parsed a few times. */
const WORK_CHARS_MAX = 131_072;
/** Cost of one parse attempt, and of one character that may start a marker. */
const TRY_WORK = 64;
const SIGN_WORK = 8;
/** Maximum number of parsed values in a text. */
const VALUES_MAX = 64;
/** Maximum depth below a value at which an answer is searched. */
const WRAPPERS_MAX = 2;
/** Maximum number of searched members of a value. */
const MEMBERS_MAX = 32;

const NO_OBJECT = 'the text holds no JSON object';

const WORDS =
  'think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|antthinking|seed:think';
const OPENED = new RegExp(
  [
    `<(?:[a-z]{1,20}:)?(?:${WORDS})(?:\\s[^<>]{0,200})?>`,
    ...['\\[THINK\\]', '\u25c1think\u25b7', '<\\|begin_of_thought\\|>', '<\\|START_THINKING\\|>'],
    ...['<\\|channel\\|>\\s{0,4}(?:analysis|commentary)', '<unused94>'],
  ].join('|'),
  'iy',
);
const CLOSED_FORMS = [
  `</(?:[a-z]{1,20}:)?(?:${WORDS})\\s{0,8}>`,
  ...['\\[/THINK\\]', '\u25c1/think\u25b7', '<\\|end_of_thought\\|>', '<\\|END_THINKING\\|>'],
  ...['<\\|channel\\|>\\s{0,4}final', '<unused95>'],
].join('|');
const CLOSED = new RegExp(CLOSED_FORMS, 'iy');
const NEXT_CLOSED = new RegExp(CLOSED_FORMS, 'gi');
const STARTS = /[{[<\u25c1]/g;
/** Members that contain the reasoning of a model. */
const ASIDE = /^(?:reasoning|thinking|thoughts?|analysis|scratchpad|reflection|draft|rationale)/i;

/**
 * Parses the answer of a model. Reasoning blocks are ignored, even if they are not closed or only
 * their end is present. Prose, code fences, one list or one member may surround the answer. Minor
 * JSON errors are tolerated. If a text contains several different answers, none is accepted. Runs
 * in linear time and throws only errors of `read`.
 *
 * @param read - Validates a value.
 * @param meaning - The part that two equal answers must share; defaults to the whole answer.
 */
export function readAnswer<T>(
  text: string,
  read: (value: unknown) => Reading<T>,
  meaning: (answer: T) => unknown = (answer) => answer,
): Reading<T> {
  const found = new Map<string, T>();
  let faults: readonly string[] | undefined;
  for (const value of valuesIn(text)) {
    for (const reading of readWithin(value, read, 0)) {
      if (reading.ok) found.set(canonicalJson(meaning(reading.answer) as Json), reading.answer);
      else faults ??= reading.faults;
    }
  }
  const [first, second] = found.values();
  if (first === undefined) return { ok: false, faults: faults ?? [NO_OBJECT] };
  if (second === undefined) return { ok: true, answer: first };
  return { ok: false, faults: [`the text holds ${found.size} answers that differ`] };
}

/** Reads a value or, if it is not an answer, its members. */
function* readWithin<T>(
  value: unknown,
  read: (value: unknown) => Reading<T>,
  depth: number,
): Generator<Reading<T>> {
  if (typeof value === 'string') yield* readCoded(value, read, depth);
  if (typeof value !== 'object' || value === null) return;
  const own = isObject(value) ? read(value) : undefined;
  const isEnough = own?.ok === true || depth >= WRAPPERS_MAX;
  const inner = isEnough ? [] : [...readMembers(value, read, depth)];
  const good = inner.filter(({ ok }) => ok);
  const [first = own] = inner;
  if (good.length > 0) yield* good;
  else if (own !== undefined) yield own;
  else if (first !== undefined) yield first;
}

/** A string inside a value may be the JSON of the answer. */
function* readCoded<T>(
  text: string,
  read: (value: unknown) => Reading<T>,
  depth: number,
): Generator<Reading<T>> {
  if (depth === 0 || !text.trimStart().startsWith('{')) return;
  for (const inner of valuesIn(text)) {
    if (isObject(inner)) yield read(inner);
  }
}

function* readMembers<T>(
  value: object,
  read: (value: unknown) => Reading<T>,
  depth: number,
): Generator<Reading<T>> {
  for (const [key, member] of Object.entries(value).slice(0, MEMBERS_MAX)) {
    if (!ASIDE.test(key)) yield* readWithin(member, read, depth + 1);
  }
}

/** Returns the JSON objects and lists of a text outside of reasoning blocks, in order. */
export function valuesIn(text: string): readonly unknown[] {
  const coded = decodedText(text);
  if (coded !== undefined) return valuesIn(coded);
  let values: unknown[] = [];
  let work = 0;
  let at = nextStart(text, 0);
  while (at >= 0 && work < WORK_CHARS_MAX && values.length < VALUES_MAX) {
    work += SIGN_WORK;
    const closed = matchLength(CLOSED, text, at);
    if (closed > 0) {
      // Everything before an end of reasoning was reasoning, wherever it started.
      values = [];
      at = nextStart(text, at + closed);
      continue;
    }
    const opened = matchLength(OPENED, text, at);
    if (opened > 0) {
      at = nextStart(text, endOfReasoning(text, at + opened));
      continue;
    }
    const read = readAt(text, at);
    work += read.passed === 0 ? 0 : TRY_WORK + read.passed;
    if (read.value !== undefined) values.push(read.value);
    at = nextStart(text, read.value === undefined ? at + 1 : at + read.passed);
  }
  // A search that ran out of budget may have missed the answer.
  return work < WORK_CHARS_MAX ? values : [];
}

function readAt(text: string, at: number): { readonly value?: object; readonly passed: number } {
  if (!'{['.includes(text.charAt(at))) return { passed: 0 };
  const read = readLenient(text, at);
  if ('failedAt' in read) return { passed: read.failedAt - at };
  const passed = read.end - at;
  const value = read.value as object;
  // A tag inside the value is part of a string only if the value is strictly valid JSON.
  if (hasReasoningTag(text.slice(at, read.end)) && !isJson(text.slice(at, read.end))) {
    return { passed };
  }
  return { value, passed };
}

/** Decodes a text that is a JSON string as a whole, with or without a code fence. */
function decodedText(text: string): string | undefined {
  if (text.length > WORK_CHARS_MAX) return undefined;
  const fenced = text.trim().replace(/^```[a-z]{0,10}\s/i, '');
  const bare = trimEndOf(fenced, '`').trim();
  if (!(bare.startsWith('"') && bare.endsWith('"'))) return undefined;
  try {
    const value: unknown = JSON.parse(bare);
    return typeof value === 'string' && value.trimStart().startsWith('{') ? value : undefined;
  } catch {
    return undefined;
  }
}

function hasReasoningTag(part: string): boolean {
  NEXT_CLOSED.lastIndex = 0;
  return NEXT_CLOSED.test(part);
}

function isJson(part: string): boolean {
  try {
    JSON.parse(part);
    return true;
  } catch {
    return false;
  }
}

function endOfReasoning(text: string, from: number): number {
  NEXT_CLOSED.lastIndex = from;
  return NEXT_CLOSED.test(text) ? NEXT_CLOSED.lastIndex : text.length;
}

function nextStart(text: string, from: number): number {
  STARTS.lastIndex = from;
  return STARTS.exec(text)?.index ?? -1;
}

function matchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
