import { stemOf } from '../../domain/news/topic.ts';

/** Share of the words that a line must contain. */
const WORDS_SHARE = 0.6;

/** Returns the lines of a long text that contain most of the words, or all lines if none does. */
export function linesAbout(text: string, words: readonly string[]): string {
  const stems = words.map(stemOf).filter((stem) => stem !== '');
  const least = Math.ceil(stems.length * WORDS_SHARE);
  const lines = text.split('\n').filter((line) => {
    const said = line.toLowerCase();
    return stems.filter((stem) => said.includes(stem)).length >= least;
  });
  return lines.length === 0 ? text : lines.join('\n');
}
