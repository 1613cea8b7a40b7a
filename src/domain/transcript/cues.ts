import { isObject } from '../json.ts';
import { parseBounded } from '../json-bounds.ts';

/** Characters of one transcript at the most. */
export const TRANSCRIPT_CHARS_MAX = 400_000;
/** Cues of one transcript at the most. */
export const CUES_MAX = 20_000;

/** What is said in a stretch of a video. Times are in milliseconds from its beginning. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** How a transcript is written. */
export type TranscriptFormat = 'srt' | 'vtt' | 'json3';

const TIME = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})`;
const ARROW = new RegExp(`^${TIME}\\s*-->\\s*${TIME}`);

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The format of a transcript, by how it begins. */
export function formatOf(text: string): TranscriptFormat {
  const start = text
    .slice(0, 200)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start.startsWith('{')) return 'json3';
  return start.startsWith('WEBVTT') ? 'vtt' : 'srt';
}

/** Reads SRT, WebVTT or YouTube's json3. In order of time; empty when there is none to read. */
export function cuesOf(text: string, format: TranscriptFormat): readonly Cue[] {
  const cues = format === 'json3' ? json3Cues(text) : blockCues(text);
  return withoutRepeats(
    cues
      .filter((cue) => cue.text !== '' && cue.endMs >= cue.startMs)
      .sort((one, other) => one.startMs - other.startMs),
  ).slice(0, CUES_MAX);
}

function blockCues(text: string): readonly Cue[] {
  const cues: { startMs: number; endMs: number; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of linesOf(text)) {
    const said = line.trim();
    const times = said.includes('-->') ? ARROW.exec(said) : null;
    if (times !== null) {
      const parts = times.slice(1);
      cues.push({ startMs: msOf(parts.slice(0, 4)), endMs: msOf(parts.slice(4)), lines: [] });
      isOpen = true;
    } else if (said === '') isOpen = false;
    else if (isOpen) cues.at(-1)?.lines.push(line);
  }
  return cues.map(({ startMs, endMs, lines }) => ({
    startMs,
    endMs,
    text: plain(lines.join(' ')),
  }));
}

/** The lines of a text, ended in any way; to split at a pattern takes ten times as long. */
function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at);
    if (sign !== LINE_FEED && sign !== RETURN) continue;
    // The second sign of a pair ends nothing more.
    const isSecond = sign === LINE_FEED && at > 0 && text.charCodeAt(at - 1) === RETURN;
    if (!isSecond) yield text.slice(from, at);
    from = at + 1;
  }
  yield text.slice(from);
}

function msOf([hours = '0', minutes, seconds, fraction = '0']: readonly string[]): number {
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1_000 + Number(fraction.padEnd(3, '0'));
}

function json3Cues(text: string): readonly Cue[] {
  const body = parseBounded(text);
  const events = isObject(body) && Array.isArray(body['events']) ? body['events'] : [];
  return events.flatMap((event: unknown): readonly Cue[] => {
    if (!isObject(event) || !Array.isArray(event['segs'])) return [];
    const { tStartMs: start, dDurationMs: length } = event;
    if (typeof start !== 'number' || !Number.isSafeInteger(start) || start < 0) return [];
    const isTimed = typeof length === 'number' && Number.isSafeInteger(length) && length >= 0;
    const words = event['segs'].map((part: unknown) => (isObject(part) ? part['utf8'] : ''));
    const said = plain(words.filter((word) => typeof word === 'string').join(''));
    return [{ startMs: start, endMs: start + (isTimed ? length : 0), text: said }];
  });
}

/** Captions that roll say each line again with the next: what the last one ended with goes. */
function withoutRepeats(cues: readonly Cue[]): readonly Cue[] {
  const kept: Cue[] = [];
  let last: string | undefined;
  for (const cue of cues) {
    if (last === cue.text) continue;
    const begun = `${last ?? ''} `;
    const text = cue.text.startsWith(begun) ? cue.text.slice(begun.length) : cue.text;
    kept.push({ ...cue, text });
    last = cue.text;
  }
  return kept;
}

function plain(text: string): string {
  return text
    .replaceAll(/<[^<>]{0,200}>/g, '')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
