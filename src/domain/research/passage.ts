import type { Cue } from '../video/cues.ts';

/** Characters of a passage at the most. */
export const PASSAGE_CHARS_MAX = 300;
/** A pause in speech that ends a passage, in milliseconds. */
export const PAUSE_MS = 5_000;
/** Passages of one document at the most. */
export const PASSAGES_MAX = 2_000;

/** A piece of a document, word for word as it stands there. */
export interface Passage {
  readonly document: string;
  readonly text: string;
  /** Where it begins: character of the text, or millisecond of the video. */
  readonly from: number;
  readonly to: number;
}

/** Joins cues into passages, each from its first cue's begin to its last one's end. */
export function spokenPassages(document: string, cues: readonly Cue[]): readonly Passage[] {
  const passages: Passage[] = [];
  let open: Cue[] = [];
  const close = () => {
    const [first] = open;
    const last = open.at(-1);
    if (first !== undefined && last !== undefined) {
      const text = open.map((cue) => cue.text).join(' ');
      passages.push({ document, text, from: first.startMs, to: last.endMs });
    }
    open = [];
  };
  for (const cue of cues) {
    const isPause = cue.startMs - (open.at(-1)?.endMs ?? cue.startMs) > PAUSE_MS;
    const before = open.reduce((sum, { text }) => sum + text.length + 1, 0);
    const isLong = before + cue.text.length > PASSAGE_CHARS_MAX;
    if (isPause || isLong) close();
    const length = isPause || isLong ? 0 : before;
    open.push(cue);
    if (/[.!?。！？]["'”]?$/.test(cue.text) && length + cue.text.length > 120) close();
  }
  close();
  return passages.slice(0, PASSAGES_MAX);
}
