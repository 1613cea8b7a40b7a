import { stemWord } from '../../domain/news/topic.ts';

/** Share of the words that a line must contain. */
const WORDS_SHARE = 0.6;

/** Returns the lines of a long text that contain most of the words, or all lines if none does. */
export function selectLines(text: string, words: readonly string[]): string {
  const stems = words.map(stemWord).filter((stem) => stem !== '');
  const least = Math.ceil(stems.length * WORDS_SHARE);
  const lines = text.split('\n').filter((line) => {
    const lowerLine = line.toLowerCase();
    return stems.filter((stem) => lowerLine.includes(stem)).length >= least;
  });
  return lines.length === 0 ? text : lines.join('\n');
}
