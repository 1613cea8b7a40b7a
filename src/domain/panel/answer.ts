import { isObject, type JsonObject } from '../json.ts';

/** A seat's answer, checked, whatever form its phase asks for. */
export interface Answer {
  /** Option id; absent where a phase asks for no position. */
  readonly position?: string;
  readonly argument: string;
  readonly confidence: number;
  /** Option ids, best first; on votes. Its first option is the position. */
  readonly ranking?: readonly string[];
  /** Groups of options in the ranking that the seat holds equal. */
  readonly equal?: readonly (readonly string[])[];
  readonly evidenceIds: readonly string[];
  readonly changeReason: string | null;
  /** What the panel's own form holds beside the argument; kept by hash. */
  readonly content?: JsonObject;
  /** Seats that are spoken to, by id. */
  readonly addressed?: readonly string[];
}

/** An answer, or what is wrong with it, one line per fault. */
export type ParsedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly faults: readonly string[] };

/** Characters of a model's text that are looked at. */
const TEXT_CHARS_MAX = 65_536;
/** Most opening braces that are tried. */
const STARTS_MAX = 32;

/**
 * Reads an answer from the text of a model: the first JSON object in it that fits, fenced or not.
 * Never throws if `parse` does not.
 */
export function parseText(text: string, parse: (value: unknown) => ParsedAnswer): ParsedAnswer {
  let best: ParsedAnswer = { ok: false, faults: ['the text holds no JSON object'] };
  for (const value of jsonObjects(text.slice(0, TEXT_CHARS_MAX))) {
    const parsed = parse(value);
    if (parsed.ok) return parsed;
    if (best.ok || best.faults[0] === 'the text holds no JSON object') best = parsed;
  }
  return best;
}

/**
 * Tells whether a change of mind came without support: neither evidence that the seat had not cited
 * before, nor an error that it names (`error: …`).
 */
export function isUnsupportedFlip(
  answer: Answer,
  before: { readonly position: string | undefined; readonly citedIds: readonly string[] },
): boolean {
  if (before.position === undefined || before.position === answer.position) return false;
  const hasNewEvidence = answer.evidenceIds.some((id) => !before.citedIds.includes(id));
  return !hasNewEvidence && !NAMED_ERROR.test(answer.changeReason ?? '');
}

const NAMED_ERROR = /^\s*error:\s*\S.{7,}/is;

function* jsonObjects(text: string): Generator<unknown> {
  let from = text.indexOf('{');
  for (let tried = 0; from >= 0 && tried < STARTS_MAX; tried += 1) {
    const end = closingBrace(text, from);
    const value = end < 0 ? undefined : parseObject(text.slice(from, end + 1));
    if (value !== undefined) yield value;
    from = text.indexOf('{', value === undefined ? from + 1 : end + 1);
  }
}

function closingBrace(text: string, from: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (isQuoted && char === '\\') at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && char === '{') depth += 1;
    else if (!isQuoted && char === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
