import type { LogLevel } from './value-sets.ts';

/** Characters of a line in which its level is looked for. */
const LOOK_CHARS = 512;
/** Characters in which a word before the text can stand, behind a time and brackets. */
const PREFIX_CHARS = 96;

const WORDS: Readonly<Record<string, LogLevel>> = {
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

/** Levels of loggers that write numbers: 10 is trace, 60 is fatal. */
const NUMBERS: Readonly<Record<string, LogLevel>> = {
  10: 'debug',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'critical',
};

const JSON_LEVEL =
  /"(?:level|severity|lvl|levelname|log\.level|loglevel)"\s{0,8}:\s{0,8}(?:"([a-z]{2,12})"|(\d\d))/i;
const LOGFMT_LEVEL = /(?:^|\s)(?:level|lvl|severity|loglevel)="?([a-z]{2,12})\b/i;
/** What stands before the word: digits of a time, brackets, colours of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape begins the colours.
const BEFORE = /^(?:\u001b\[[\d;]{0,8}m|[\s\d[\](){}<>|:.,/+*-]|T(?=\d)|Z(?=[\s\]]))*/;
const WORD = /^(?:npm )?([a-z]{2,12})/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape ends the colours.
const BEHIND = /^(?:[\]:!)|>]|\u001b\[|\s{0,4}[-|:]\s)/;
const THROWN =
  /^(?:Uncaught |Unhandled )?[A-Z]\w{0,40}(?:Error|Exception)\b[:\s]|^Error:|^Traceback /;
const PANIC = /^(?:thread '[^']{0,64}' panicked|goroutine \d+ \[)/;

/**
 * Reads the level of a line: a field of JSON, a field of logfmt, or a word before the text, such as
 * `[WARN]`, `ERROR:` or one in capitals. A word within a sentence does not count.
 *
 * @returns `info` where the line says nothing.
 */
export function detectLevel(message: string): LogLevel {
  const text = message.length > LOOK_CHARS ? message.slice(0, LOOK_CHARS) : message;
  return jsonLevel(text) ?? logfmtLevel(text) ?? prefixLevel(text) ?? 'info';
}

function jsonLevel(text: string): LogLevel | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  const found = JSON_LEVEL.exec(text);
  if (found === null) return undefined;
  return found[2] === undefined ? wordLevel(found[1]) : NUMBERS[found[2]];
}

function logfmtLevel(text: string): LogLevel | undefined {
  return text.includes('=') ? wordLevel(LOGFMT_LEVEL.exec(text)?.[1]) : undefined;
}

function prefixLevel(text: string): LogLevel | undefined {
  const before = BEFORE.exec(text.slice(0, PREFIX_CHARS))?.[0] ?? '';
  const rest = text.slice(before.length);
  const [whole = '', word = ''] = WORD.exec(rest) ?? [];
  const level = wordLevel(word);
  const after = rest.slice(whole.length);
  // In capitals it is a level, unless the word goes on.
  const isCapital = word === word.toUpperCase() && !/^\w/.test(after);
  const isSaid = isCapital || whole.startsWith('npm ') || BEHIND.test(after);
  if (level !== undefined && isSaid) return level;
  if (PANIC.test(rest)) return 'critical';
  return THROWN.test(rest) ? 'error' : undefined;
}

function wordLevel(word = ''): LogLevel | undefined {
  const known = word.toLowerCase();
  return Object.hasOwn(WORDS, known) ? WORDS[known] : undefined;
}
