import { stemmer } from 'stemmer';
import type { Tool } from '../../../domain/tool/tool.ts';

/** Count that a word has of every tool beforehand, so that no word alone rules a tool out. */
const SMOOTHING = 0.1;
/** Words that stand for what a request names: ids of hosted resources, addresses and numbers. */
const NAMED = [
  [/\b(srv|dep|dpg|red|wks|tea|crn|job|dbt)[-_]\w+/g, ' id$1 '],
  [/https?:\S+/g, ' idurl '],
  [/0x[0-9a-f]+/g, ' idhex '],
  [/\b\d[\d.,]*/g, ' idnumber '],
] as const;

/**
 * Creates a function that returns the names of the tools that fit a request in everyday words, best
 * first; none if no word is known. A complement naive Bayes classifier over word stems, trained on
 * how people ask for each tool (`phrases.json`) and on the tool's own texts.
 *
 * @param phrases - Requests by tool. A tool without any is found by its own texts.
 */
export function createToolRanking(
  tools: readonly Tool[],
  phrases: Readonly<Record<string, readonly string[]>>,
): (request: string) => readonly string[] {
  const names = tools.map(({ name }) => name);
  const classes = tools.map((tool) => {
    const texts = [...(phrases[tool.name] ?? []), ...ownTexts(tool, names)];
    const words = texts.flatMap(splitStems);
    return { name: tool.name, size: words.length, counts: countWords(words), words };
  });
  const allWords = classes.flatMap(({ words }) => words);
  const all = countWords(allWords);
  const smoothed = (count: number, size: number) =>
    Math.log((count + SMOOTHING) / (size + SMOOTHING * all.size));
  return (request) => {
    const words = splitStems(request).filter((word) => all.has(word));
    if (words.length === 0) return [];
    const scores = classes.map(({ name, size, counts }) => {
      const score = words.reduce((sum, word) => {
        const [own, every] = [counts.get(word) ?? 0, all.get(word) ?? 0];
        return sum + smoothed(own, size) - smoothed(every - own, allWords.length - size);
      }, 0);
      return { name, score };
    });
    return scores.sort((one, other) => other.score - one.score).map(({ name }) => name);
  };
}

/** The texts of a tool, without the sentences that name another one: they say what it is not. */
function ownTexts({ name, title, description, summary = '' }: Tool, names: readonly string[]) {
  const sentences = `${summary} ${description}`.split(/(?<=[.;])\s/);
  const isOwn = (text: string) => !names.some((each) => each !== name && text.includes(each));
  return [name, title, ...sentences.filter(isOwn)];
}

function splitStems(text: string): readonly string[] {
  const lower = text.toLowerCase().replaceAll(/['’]/g, '');
  const marked = NAMED.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), lower);
  return marked
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(stemmer);
}

function countWords(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
