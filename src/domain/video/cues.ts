import { isObject } from '../common/json.ts';
import { parseJsonWithin } from '../common/json-bounds.ts';

/** Maximum length of a transcript, in characters. */
export const TRANSCRIPT_CHARS_MAX = 400_000;
/** Maximum number of cues of a transcript. */
export const CUES_MAX = 20_000;

/** A subtitle cue. Times are milliseconds from the start of the video. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** Format of a transcript. */
export type TranscriptFormat = 'srt' | 'vtt' | 'json3';

const TIME = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})`;
const ARROW = new RegExp(`^${TIME}\\s*-->\\s*${TIME}`);

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** Detects the format of a transcript from its start. */
export function detectFormat(text: string): TranscriptFormat {
  const start = text
    .slice(0, 200)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start.startsWith('{')) return 'json3';
  return start.startsWith('WEBVTT') ? 'vtt' : 'srt';
}

/**
 * Parses SRT, WebVTT or YouTube's json3. Returns cues in order of time; empty for unreadable text.
 */
export function parseCues(text: string, format: TranscriptFormat): readonly Cue[] {
  const cues = format === 'json3' ? parseJson3Cues(text) : parseBlockCues(text, format);
  return removeRepeats(
    cues
      .filter((cue) => cue.words.length > 0 && cue.endMs >= cue.startMs)
      .sort((one, other) => one.startMs - other.startMs),
  ).slice(0, CUES_MAX);
}

function parseBlockCues(text: string, format: TranscriptFormat): readonly ShownCue[] {
  const cues: { startMs: number; endMs: number; lines: string[] }[] = [];
  let isInCue = false;
  for (const line of splitLines(text)) {
    const trimmed = line.trim();
    const times = trimmed.includes('-->') ? ARROW.exec(trimmed) : null;
    if (times !== null) {
      const parts = times.slice(1);
      cues.push({
        startMs: toMilliseconds(parts.slice(0, 4)),
        endMs: toMilliseconds(parts.slice(4)),
        lines: [],
      });
      isInCue = true;
    } else if (trimmed === '') {
      // A blank line is the upper line of a caption that starts to roll.
      const isBlankLine = line !== '' && (format === 'vtt' || cues.at(-1)?.lines.length === 0);
      isInCue &&= isBlankLine;
    } else if (isInCue) cues.at(-1)?.lines.push(line);
  }
  return cues.map(({ startMs, endMs, lines }) => toShownCue(startMs, endMs, lines));
}

/**
 * Yields the lines of a text with any line ending. A regular expression split takes ten times as
 * long.
 */
function* splitLines(text: string): Generator<string> {
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign !== LINE_FEED && sign !== RETURN) continue;
    // The second character of a CRLF pair is not another line end.
    const isSecond = sign === LINE_FEED && at > 0 && text.charCodeAt(at - 1) === RETURN;
    if (!isSecond) yield text.slice(from, at);
    from = at + 1;
  }
  yield text.slice(from);
}

function toMilliseconds([
  hours = '0',
  minutes,
  seconds,
  fraction = '0',
]: readonly string[]): number {
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1_000 + Number(fraction.padEnd(3, '0'));
}

/** Returns the words of lines that are shown together. */
function toShownCue(startMs: number, endMs: number, lines: readonly string[]): ShownCue {
  const words: string[] = [];
  const lineEnds = new Set<number>();
  // Markup may span a line end.
  for (const line of removeMarkup(lines.join(LINE_END_MARK)).split(LINE_END_MARK)) {
    words.push(...line.split(' ').filter((word) => word !== ''));
    lineEnds.add(words.length);
  }
  return { startMs, endMs, words, lineEnds };
}

/** Replaces line ends while markup is removed. */
const LINE_END_MARK = '\u0001';

function parseJson3Cues(text: string): readonly ShownCue[] {
  const body = parseJsonWithin(text);
  const events = isObject(body) && Array.isArray(body['events']) ? body['events'] : [];
  return events.flatMap((event: unknown): readonly ShownCue[] => {
    if (!isObject(event) || !Array.isArray(event['segs'])) return [];
    const { tStartMs: start, dDurationMs: length } = event;
    if (typeof start !== 'number' || !Number.isSafeInteger(start) || start < 0) return [];
    const isTimed = typeof length === 'number' && Number.isSafeInteger(length) && length >= 0;
    const words = event['segs'].map((part: unknown) => (isObject(part) ? part['utf8'] : ''));
    const spokenText = words.filter((word) => typeof word === 'string').join('');
    return [toShownCue(start, start + (isTimed ? length : 0), spokenText.split('\n'))];
  });
}

/** Maximum gap to a caption that continues the previous one, in milliseconds. */
const CONTINUATION_GAP_MS = 500;
/** Maximum number of words compared between adjacent captions. */
const OVERLAP_WORDS_MAX = 60;
/** Minimum overlap that is not coincidence, unless whole lines match. */
const OVERLAP_WORDS_MIN = 3;
/** Minimum number and share of repeating captions in a rolling transcript. */
const ROLLING_MIN = 2;
const ROLLING_SHARE = 0.2;

/**
 * Removes the repetitions of rolling captions, which show each line again above the next. Every
 * line is kept once with its first time. Text repeated after a pause is kept.
 */
function removeRepeats(cues: readonly ShownCue[]): readonly Cue[] {
  const overlaps = cues.map((cue, at) => {
    const before = cues[at - 1];
    const isNext = before !== undefined && cue.startMs - before.endMs <= CONTINUATION_GAP_MS;
    return { cue, overlap: isNext ? countOverlap(before, cue) : 0, before };
  });
  const rolling = overlaps.filter(({ cue, overlap }) => overlap > 0 && overlap < cue.words.length);
  const isRolling = rolling.length >= Math.max(ROLLING_MIN, cues.length * ROLLING_SHARE);
  return overlaps.flatMap(({ cue, overlap, before }): readonly Cue[] => {
    const { startMs, endMs, words } = cue;
    // Either words were added to the previous caption, or nothing is new.
    const isWhole = before !== undefined && overlap === before.words.length;
    const newWords = isRolling || isWhole ? words.slice(overlap) : words;
    return newWords.length === 0 ? [] : [{ startMs, endMs, text: newWords.join(' ') }];
  });
}

/** A caption as displayed. */
interface ShownCue {
  readonly startMs: number;
  readonly endMs: number;
  readonly words: readonly string[];
  /** Word counts after which a line ends. */
  readonly lineEnds: ReadonlySet<number>;
}

/**
 * Counts the words at the end of one caption that the next starts with: whole lines, or enough
 * words to exclude coincidence.
 */
function countOverlap(before: ShownCue, { words, lineEnds }: ShownCue): number {
  const all = before.words.length;
  const overlapMax = Math.min(all, words.length, OVERLAP_WORDS_MAX);
  const counts = Array.from({ length: overlapMax }, (_, at) => overlapMax - at).filter((count) => {
    const isSame = (_: string, at: number) => before.words[all - count + at] === words[at];
    return words.slice(0, count).every(isSame);
  });
  const isLines = (count: number) => lineEnds.has(count) && before.lineEnds.has(all - count);
  const lines = counts.find((count) => count === all || isLines(count));
  return lines ?? counts.find((count) => count >= OVERLAP_WORDS_MIN) ?? 0;
}

function removeMarkup(text: string): string {
  return text
    .replaceAll(/<[^<>]{0,200}>/g, '')
    .replaceAll(/\{\\[^{}]{0,100}\}/g, '')
    .replaceAll(/&#(x[\da-f]{1,5}|\d{1,6});/gi, (_, code: string) => decodeCharacter(code))
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Returns the character of a code; a space for surrogates and control characters. */
function decodeCharacter(code: string): string {
  const sign = String.fromCodePoint(Number(code.replace(/^x/i, '0x')));
  return /[\p{Cs}\p{Cc}]/u.test(sign) ? ' ' : sign;
}
