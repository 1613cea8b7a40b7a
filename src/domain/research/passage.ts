import type { Cue } from '../video/cues.ts';

/** Maximum length of a passage, in characters. */
export const PASSAGE_CHARS_MAX = 300;
/** Minimum pause in speech that ends a passage, in milliseconds. */
export const PAUSE_MS = 5_000;
/** Maximum number of passages per document. */
export const PASSAGES_MAX = 2_000;

/** A verbatim part of a document. */
export interface Passage {
  readonly document: string;
  readonly text: string;
  /** Start: a character of the text or a millisecond of the video. */
  readonly from: number;
  readonly to: number;
}

/**
 * Joins subtitle cues into passages, each from the start of its first cue to the end of its last.
 */
export function joinCues(document: string, cues: readonly Cue[]): readonly Passage[] {
  const passages: Passage[] = [];
  let pending: Cue[] = [];
  const flush = () => {
    const [first] = pending;
    const last = pending.at(-1);
    if (first !== undefined && last !== undefined) {
      const text = pending.map((cue) => cue.text).join(' ');
      passages.push({ document, text, from: first.startMs, to: last.endMs });
    }
    pending = [];
  };
  for (const cue of cues) {
    const isPause = cue.startMs - (pending.at(-1)?.endMs ?? cue.startMs) > PAUSE_MS;
    const before = pending.reduce((sum, { text }) => sum + text.length + 1, 0);
    const isLong = before + cue.text.length > PASSAGE_CHARS_MAX;
    if (isPause || isLong) flush();
    const length = isPause || isLong ? 0 : before;
    pending.push(cue);
    if (/[.!?。！？]["'”]?$/.test(cue.text) && length + cue.text.length > 120) flush();
  }
  flush();
  return passages.slice(0, PASSAGES_MAX);
}
