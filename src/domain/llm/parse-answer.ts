import { canonicalJson, isObject, type Json } from '../common/json.ts';
import { trimEndChars } from '../common/text.ts';
import { parseLenientJson } from './lenient-json.ts';

/** A parsed answer, or its errors, one per line. */
export type ParseResult<T> =
  | { readonly ok: true; readonly answer: T }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Budget for the search of values, in characters. A character may be parsed a few times. */
const WORK_CHARS_MAX = 131_072;
/** Cost of one parse attempt, and of one character that may start a marker. */
const ATTEMPT_COST = 64;
const MARKER_COST = 8;
/** Maximum number of parsed values in a text. */
const VALUES_MAX = 64;
/** Maximum depth below a value at which an answer is searched. */
const WRAPPERS_MAX = 2;
/** Maximum number of searched members of a value. */
const MEMBERS_MAX = 32;

const NO_OBJECT = 'the text holds no JSON object';

const REASONING_TAGS =
  'think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|antthinking|seed:think';
const REASONING_START = new RegExp(
  [
    `<(?:[a-z]{1,20}:)?(?:${REASONING_TAGS})(?:\\s[^<>]{0,200})?>`,
    ...['\\[THINK\\]', '\u25c1think\u25b7', '<\\|begin_of_thought\\|>', '<\\|START_THINKING\\|>'],
    ...['<\\|channel\\|>\\s{0,4}(?:analysis|commentary)', '<unused94>'],
  ].join('|'),
  'iy',
);
const REASONING_END_FORMS = [
  `</(?:[a-z]{1,20}:)?(?:${REASONING_TAGS})\\s{0,8}>`,
  ...['\\[/THINK\\]', '\u25c1/think\u25b7', '<\\|end_of_thought\\|>', '<\\|END_THINKING\\|>'],
  ...['<\\|channel\\|>\\s{0,4}final', '<unused95>'],
].join('|');
const REASONING_END = new RegExp(REASONING_END_FORMS, 'iy');
const NEXT_REASONING_END = new RegExp(REASONING_END_FORMS, 'gi');
const VALUE_START = /[{[<\u25c1]/g;
/** Members that contain the reasoning of a model. */
const REASONING_MEMBER =
  /^(?:reasoning|thinking|thoughts?|analysis|scratchpad|reflection|draft|rationale)/i;

/**
 * Parses the answer of a model. Reasoning blocks are ignored, even if they are not closed or only
 * their end is present. Prose, code fences, one list or one member may surround the answer. Minor
 * JSON errors are tolerated. If a text contains several different answers, none is accepted. Runs
 * in linear time and throws only errors of `read`.
 *
 * @param read - Validates a value.
 * @param meaning - The part that two equal answers must share; defaults to the whole answer.
 */
export function parseAnswer<T>(
  text: string,
  read: (value: unknown) => ParseResult<T>,
  meaning: (answer: T) => unknown = (answer) => answer,
): ParseResult<T> {
  const answers = new Map<string, T>();
  let faults: readonly string[] | undefined;
  for (const value of extractValues(text)) {
    for (const reading of readValue(value, read, 0)) {
      if (reading.ok) answers.set(canonicalJson(meaning(reading.answer) as Json), reading.answer);
      else faults ??= reading.faults;
    }
  }
  const [first, second] = answers.values();
  if (first === undefined) return { ok: false, faults: faults ?? [NO_OBJECT] };
  if (second === undefined) return { ok: true, answer: first };
  return { ok: false, faults: [`the text holds ${answers.size} answers that differ`] };
}

/** Reads a value or, if it is not an answer, its members. */
function* readValue<T>(
  value: unknown,
  read: (value: unknown) => ParseResult<T>,
  depth: number,
): Generator<ParseResult<T>> {
  if (typeof value === 'string') yield* readEncoded(value, read, depth);
  if (typeof value !== 'object' || value === null) return;
  const direct = isObject(value) ? read(value) : undefined;
  const isFinal = direct?.ok === true || depth >= WRAPPERS_MAX;
  const nested = isFinal ? [] : [...readMembers(value, read, depth)];
  const accepted = nested.filter(({ ok }) => ok);
  const [first = direct] = nested;
  if (accepted.length > 0) yield* accepted;
  else if (direct !== undefined) yield direct;
  else if (first !== undefined) yield first;
}

/** A string inside a value may be the JSON of the answer. */
function* readEncoded<T>(
  text: string,
  read: (value: unknown) => ParseResult<T>,
  depth: number,
): Generator<ParseResult<T>> {
  if (depth === 0 || !text.trimStart().startsWith('{')) return;
  for (const inner of extractValues(text)) {
    if (isObject(inner)) yield read(inner);
  }
}

function* readMembers<T>(
  value: object,
  read: (value: unknown) => ParseResult<T>,
  depth: number,
): Generator<ParseResult<T>> {
  for (const [key, member] of Object.entries(value).slice(0, MEMBERS_MAX)) {
    if (!REASONING_MEMBER.test(key)) yield* readValue(member, read, depth + 1);
  }
}

/** Returns the JSON objects and lists of a text outside of reasoning blocks, in order. */
export function extractValues(text: string): readonly unknown[] {
  const decoded = decodeText(text);
  if (decoded !== undefined) return extractValues(decoded);
  let values: unknown[] = [];
  let work = 0;
  let at = findNextStart(text, 0);
  while (at >= 0 && work < WORK_CHARS_MAX && values.length < VALUES_MAX) {
    work += MARKER_COST;
    const endLength = matchLength(REASONING_END, text, at);
    if (endLength > 0) {
      // Everything before an end of reasoning was reasoning, wherever it started.
      values = [];
      at = findNextStart(text, at + endLength);
      continue;
    }
    const startLength = matchLength(REASONING_START, text, at);
    if (startLength > 0) {
      at = findNextStart(text, findReasoningEnd(text, at + startLength));
      continue;
    }
    const read = parseValueAt(text, at);
    work += read.passed === 0 ? 0 : ATTEMPT_COST + read.passed;
    if (read.value !== undefined) values.push(read.value);
    at = findNextStart(text, read.value === undefined ? at + 1 : at + read.passed);
  }
  // A search that ran out of budget may have missed the answer.
  return work < WORK_CHARS_MAX ? values : [];
}

function parseValueAt(
  text: string,
  at: number,
): { readonly value?: object; readonly passed: number } {
  if (!'{['.includes(text.charAt(at))) return { passed: 0 };
  const read = parseLenientJson(text, at);
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
function decodeText(text: string): string | undefined {
  if (text.length > WORK_CHARS_MAX) return undefined;
  const fenced = text.trim().replace(/^```[a-z]{0,10}\s/i, '');
  const bare = trimEndChars(fenced, '`').trim();
  if (!(bare.startsWith('"') && bare.endsWith('"'))) return undefined;
  try {
    const value: unknown = JSON.parse(bare);
    return typeof value === 'string' && value.trimStart().startsWith('{') ? value : undefined;
  } catch {
    return undefined;
  }
}

function hasReasoningTag(part: string): boolean {
  NEXT_REASONING_END.lastIndex = 0;
  return NEXT_REASONING_END.test(part);
}

function isJson(part: string): boolean {
  try {
    JSON.parse(part);
    return true;
  } catch {
    return false;
  }
}

function findReasoningEnd(text: string, from: number): number {
  NEXT_REASONING_END.lastIndex = from;
  return NEXT_REASONING_END.test(text) ? NEXT_REASONING_END.lastIndex : text.length;
}

function findNextStart(text: string, from: number): number {
  VALUE_START.lastIndex = from;
  return VALUE_START.exec(text)?.index ?? -1;
}

function matchLength(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
