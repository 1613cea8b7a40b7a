import { isObject, tryParseJson } from '../../domain/common/json.ts';

/** Most bytes of an error body that are examined. */
export const ERROR_BODY_BYTES_MAX = 65_536;
const WORDS_CHARS_MAX = 4_000;
const DEPTH_MAX = 6;
/** Smallest token limit worth a request. */
const LIMIT_MIN = 200;
/** Divisor of the limit if a host only says that it is too large. */
const LIMIT_DIVISOR = 4;

/** Members that contain the host's message. Others may repeat the request. */
const MESSAGE_MEMBERS =
  /^(?:message|msg|detail|details|error|errors|loc|param|reason|title|description)$/i;

/**
 * Moves the message of an error body to where both vendor packages look for it. Hosts also send
 * `{detail: …}`, `{message: …}`, lists of errors or plain text.
 */
export function normalizeErrorBody(text: string): string {
  const body = tryParseJson(text);
  if (isObject(body) && isObject(body['error'])) return text;
  const messages = collectMessages(body ?? text, 0)
    .join(' ')
    .slice(0, WORDS_CHARS_MAX);
  const { type, code } = isObject(body) ? body : {};
  return JSON.stringify({ error: { message: messages, type, code } });
}

function collectMessages(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value];
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((item) => collectMessages(item, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    MESSAGE_MEMBERS.test(key) ? collectMessages(member, depth + 1) : [],
  );
}

const REJECTION_PATTERN = new RegExp(
  [
    "not (?:be )?(?:support|permit|allow|enable|implement|accept|recogni|available)|n't support",
    'unsupported|unknown|unrecogni|unexpected|unavailable|invalid|extra |should be|must be',
    'instead|no longer|disabled|only',
  ].join('|'),
  'i',
);

/** Returns whether a host rejects something that it names. */
export function isRejected(errorText: string, name: RegExp): boolean {
  return name.test(errorText) && REJECTION_PATTERN.test(errorText);
}

/**
 * Returns the largest token limit that a rejection allows, or `undefined` if it is about something
 * else than a limit that is too large for the model or its context.
 *
 * @param rejectedLimit - The limit that was rejected.
 */
export function findSmallerLimit(words: string, rejectedLimit: number): number | undefined {
  if (!/max_(?:completion_|output_)?tokens|completion|output tokens/i.test(words)) return undefined;
  if (!/too (?:large|high|many|big)|exceed|maximum|at most|less than|> ?\d/i.test(words)) {
    return undefined;
  }
  const context = matchNumber(/context (?:length|window|size)\D{0,40}(\d{3,8})/i, words);
  const sent =
    matchNumber(/(\d{1,8})(?: tokens)? (?:input|prompt)/i, words) ??
    matchNumber(/(\d{1,8})(?: tokens)? (?:in|from) (?:the )?(?:messages|prompt|input)/i, words) ??
    matchNumber(/(?:input|messages?|prompt)\D{0,40}(\d{1,8}) tokens/i, words);
  const most = matchNumber(
    /(?:at most|equal to|<=|up to|supports?|maximum of|> ?|maximum value)\D{0,20}(\d{3,8})/i,
    words,
  );
  const cut = Math.floor(rejectedLimit / LIMIT_DIVISOR);
  const allowed = context !== undefined && sent !== undefined ? context - sent - 16 : (most ?? cut);
  const limit = allowed < rejectedLimit ? allowed : cut;
  return limit >= LIMIT_MIN ? limit : undefined;
}

function matchNumber(pattern: RegExp, words: string): number | undefined {
  const [, number] = pattern.exec(words) ?? [];
  return number === undefined ? undefined : Number(number);
}
