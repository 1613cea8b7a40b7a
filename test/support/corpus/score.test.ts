import { expect, test } from 'vitest';
import { corpusOf } from './corpus.ts';
import { scoreOf } from './score.ts';

const HALVES = ['development', 'held-out', 'tune', 'unseen'] as const;
const WORDS = /ignore|important|do not|always|never|must|password|secret|token|system prompt/i;

test.each(HALVES)('a perfect check scores 1, a silent one finds nothing, in %s', (half) => {
  const known = new Map(corpusOf(half).map((entry) => [textOf(entry.definition), entry.poisoned]));
  const perfect = scoreOf(half, (definition) => known.get(textOf(definition)) === true);
  expect(perfect).toMatchObject({ precision: 1, recall: 1, missed: [], wrong: [] });
  const silent = scoreOf(half, () => false);
  expect([silent.precision, silent.recall]).toEqual([1, 0]);
});

test.each(HALVES)(
  'a check that reports all is right as often as there is poison, in %s',
  (half) => {
    const entries = corpusOf(half);
    const { precision, recall, wrong } = scoreOf(half, () => true);
    expect(recall).toBe(1);
    expect(wrong.length).toBe(entries.filter(({ poisoned }) => !poisoned).length);
    expect(precision).toBeCloseTo(1 - wrong.length / entries.length, 10);
  },
);

test.each(HALVES)('looking for single words is no good check, in %s', (half) => {
  const { precision, recall } = scoreOf(half, (definition) => WORDS.test(textOf(definition)));
  expect(precision).toBeLessThan(0.65);
  expect(recall).toBeLessThan(0.9);
});

function textOf(value: unknown): string {
  return JSON.stringify(value);
}
