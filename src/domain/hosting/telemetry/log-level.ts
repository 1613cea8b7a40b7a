import type { LogLevel } from '../value-sets.ts';

/** Number of leading characters in which a level is searched. */
const SEARCH_CHARS = 512;
/** Number of leading characters that may precede a level word, such as a time and brackets. */
const PREFIX_CHARS = 96;

const LEVEL_WORDS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  verbose: 'debug',
  info: 'info',
  information: 'info',
  notice: 'info',
  log: 'info',
  warn: 'warning',
  warning: 'warning',
  err: 'error',
  error: 'error',
  severe: 'error',
  crit: 'critical',
  critical: 'critical',
  fatal: 'critical',
  panic: 'critical',
  alert: 'critical',
  emerg: 'critical',
  emergency: 'critical',
};

const LEVEL_BY_WORD = new Map(
  Object.entries(LEVEL_WORDS).flatMap(([word, level]): [string, LogLevel][] => [
    [word, level],
    [word.toUpperCase(), level],
  ]),
);

/** Numeric levels of some loggers, from 10 for trace to 60 for fatal. */
const LEVEL_BY_NUMBER: Readonly<Record<string, LogLevel>> = {
  10: 'debug',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'critical',
};

const JSON_LEVEL =
  /"(?:level(?:name)?|severity|lvl|log\.?level)"\s{0,8}:\s{0,8}(?:"([a-z]{2,12})"|(\d\d))/i;
const LOGFMT_MARKERS = ['evel=', 'lvl=', 'everity='];
const LOGFMT_LEVEL = /(?:^|\s)(?:level|lvl|severity|loglevel)="?([a-z]{2,12})\b/i;
const LEADING_WORD = /^(?:npm )?([a-z]{2,12})/i;
const AFTER_LEVEL = /^(?:[\]:!)|>]|\s{0,4}[-|:]\s)/;
/** Maximum number of characters between the escape and the `m` of a colour sequence. */
const COLOUR_CHARS = 12;
const ESCAPE = 0x1b;
const SPACE = 0x20;
const BRACKET = 0x5d;
const BRACE = 0x7b;
const EXCEPTION =
  /^(?:Uncaught |Unhandled )?[A-Z]\w{0,40}(?:Error|Exception)\b[:\s]|^Error:|^Traceback /;
const PANIC = /^(?:thread '[^']{0,64}' panicked|goroutine \d+ \[)/;

/**
 * Detects the level of a line from a JSON field, a leading word such as `[WARN]`, `ERROR:` or one
 * in capitals, or a logfmt field. A word within a sentence does not count.
 *
 * @returns `info` if the line has no level.
 */
export function detectLevel(message: string): LogLevel {
  const text = message.length > SEARCH_CHARS ? message.slice(0, SEARCH_CHARS) : message;
  return detectJsonLevel(text) ?? detectPrefixLevel(text) ?? detectLogfmtLevel(text) ?? 'info';
}

function detectJsonLevel(text: string): LogLevel | undefined {
  if (!startsWithBrace(text)) return undefined;
  const found = JSON_LEVEL.exec(text);
  if (found === null) return undefined;
  return found[2] === undefined ? levelOfWord(found[1]) : LEVEL_BY_NUMBER[found[2]];
}

function detectLogfmtLevel(text: string): LogLevel | undefined {
  const isLikely = LOGFMT_MARKERS.some((sign) => text.includes(sign));
  return isLikely ? levelOfWord(LOGFMT_LEVEL.exec(text)?.[1]) : undefined;
}

function detectPrefixLevel(text: string): LogLevel | undefined {
  const rest = text.slice(skipPrefix(text));
  const [whole = '', word = ''] = LEADING_WORD.exec(rest) ?? [];
  const level = levelOfWord(word);
  const after = rest.slice(whole.length);
  // A word in capitals is a level, unless more word characters follow.
  const isCapital = word === word.toUpperCase() && !/^\w/.test(after);
  const isLevelWord =
    isCapital || whole.startsWith('npm ') || startsColour(after, 0) || AFTER_LEVEL.test(after);
  if (level !== undefined && isLevelWord) return level;
  if (PANIC.test(rest)) return 'critical';
  return EXCEPTION.test(rest) ? 'error' : undefined;
}

function startsWithBrace(text: string): boolean {
  let at = 0;
  while (text.charCodeAt(at) === SPACE) at += 1;
  return text.charCodeAt(at) === BRACE;
}

/** Returns the position after a leading time, brackets and terminal colours. */
function skipPrefix(text: string): number {
  const end = Math.min(text.length, PREFIX_CHARS);
  let at = 0;
  while (at < end) {
    const isWord = isLetter(text.charCodeAt(at));
    if (isWord && !isPartOfTime(text, at)) return at;
    at = startsColour(text, at) ? skipColour(text, at) : at + 1;
  }
  return at;
}

function isLetter(code: number): boolean {
  // Letters of other scripts also start words.
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code >= 128;
}

/** Matches the T between date and time, or the Z after them. */
function isPartOfTime(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  const isDigit = next >= 48 && next <= 57;
  const isEnd = next === SPACE || next === BRACKET;
  return (text[at] === 'T' && isDigit) || (text[at] === 'Z' && isEnd);
}

function skipColour(text: string, at: number): number {
  const end = text.indexOf('m', at);
  return end < 0 || end > at + COLOUR_CHARS ? at + 1 : end + 1;
}

function startsColour(text: string, at: number): boolean {
  return text.charCodeAt(at) === ESCAPE;
}

function levelOfWord(word = ''): LogLevel | undefined {
  return LEVEL_BY_WORD.get(word) ?? LEVEL_BY_WORD.get(word.toLowerCase());
}
