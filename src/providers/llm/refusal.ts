import { isObject } from '../../domain/common/json.ts';

/** Bytes of a refusal that are looked at. */
export const REFUSAL_BYTES_MAX = 65_536;
const WORDS_CHARS_MAX = 4_000;
const DEPTH_MAX = 6;
/** Fewest tokens of an answer that are worth asking for. */
const LIMIT_MIN = 200;
/** What a limit is divided by where a host says only that it is too large. */
const LIMIT_CUT = 4;

/** Members that hold words of the host; others may repeat what we sent. */
const WORDED = /^(?:message|msg|detail|details|error|errors|loc|param|reason|title|description)$/i;

/**
 * Puts the words of a refusal where both vendors' packages look for them. Hosts write
 * `{detail: …}`, `{message: …}`, lists of faults or bare text in their place.
 */
export function evenRefusal(text: string): string {
  const body = parse(text);
  if (isObject(body) && isObject(body['error'])) return text;
  const words = wordsIn(body ?? text, 0)
    .join(' ')
    .slice(0, WORDS_CHARS_MAX);
  const { type, code } = isObject(body) ? body : {};
  return JSON.stringify({ error: { message: words, type, code } });
}

function wordsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((item) => wordsIn(item, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    WORDED.test(key) ? wordsIn(member, depth + 1) : [],
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const REFUSED = new RegExp(
  [
    "not (?:be )?(?:support|permit|allow|enable|implement|accept|recogni|available)|n't support",
    'unsupported|unknown|unrecogni|unexpected|unavailable|invalid|extra |should be|must be',
    'instead|no longer|disabled|only',
  ].join('|'),
  'i',
);

/** Tells whether a host refuses something that it names. */
export function isRefused(words: string, name: RegExp): boolean {
  return name.test(words) && REFUSED.test(words);
}

/**
 * The most tokens of an answer that a refusal leaves, where it says that the limit is too large for
 * the model or its context; else `undefined`.
 *
 * @param asked - The limit that was refused.
 */
export function smallerLimit(words: string, asked: number): number | undefined {
  if (!/max_(?:completion_|output_)?tokens|completion|output tokens/i.test(words)) return undefined;
  if (!/too (?:large|high|many|big)|exceed|maximum|at most|less than|> ?\d/i.test(words)) {
    return undefined;
  }
  const context = numberBehind(/context (?:length|window|size)\D{0,40}(\d{3,8})/i, words);
  const sent =
    numberBehind(/(\d{1,8})(?: tokens)? (?:input|prompt)/i, words) ??
    numberBehind(/(\d{1,8})(?: tokens)? (?:in|from) (?:the )?(?:messages|prompt|input)/i, words) ??
    numberBehind(/(?:input|messages?|prompt)\D{0,40}(\d{1,8}) tokens/i, words);
  const most = numberBehind(
    /(?:at most|equal to|<=|up to|supports?|maximum of|> ?|maximum value)\D{0,20}(\d{3,8})/i,
    words,
  );
  const cut = Math.floor(asked / LIMIT_CUT);
  const left = context !== undefined && sent !== undefined ? context - sent - 16 : (most ?? cut);
  const limit = left < asked ? left : cut;
  return limit >= LIMIT_MIN ? limit : undefined;
}

function numberBehind(pattern: RegExp, words: string): number | undefined {
  const [, number] = pattern.exec(words) ?? [];
  return number === undefined ? undefined : Number(number);
}
