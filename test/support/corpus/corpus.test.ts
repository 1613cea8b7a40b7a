import { expect, test } from 'vitest';
import { z } from 'zod';
import { corpusLines, corpusOf, familiesOf } from './corpus.ts';
import { type CorpusEntry, definitionOf } from './family.ts';

const HALVES = ['development', 'held-out', 'tune', 'unseen'] as const;
const all = HALVES.flatMap((half) => corpusOf(half));

test('there are at least 300 poisoned and 300 ordinary definitions, no two alike', () => {
  expect(all.filter(({ poisoned }) => poisoned).length).toBeGreaterThanOrEqual(300);
  expect(all.filter(({ poisoned }) => !poisoned).length).toBeGreaterThanOrEqual(300);
  const texts = all.map(({ definition }) => JSON.stringify(definition));
  expect(new Set(texts).size).toBe(texts.length);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
});

test('at least 40 poisoned and 60 ordinary families; none stands in two parts', () => {
  const families = HALVES.flatMap((half) => familiesOf(half));
  expect(new Set(families.map(({ id }) => id)).size).toBe(families.length);
  const poisoned = families.filter(({ poison }) => poison !== undefined);
  expect(poisoned.length).toBeGreaterThanOrEqual(40);
  expect(families.length - poisoned.length).toBeGreaterThanOrEqual(60);
});

test.each([
  ['development', 'held-out'],
  ['tune', 'unseen'],
] as const)('%s and %s have the same classes of poison, and hard negatives', (...parts) => {
  const [first, second] = parts.map((part) => {
    const poisoned = corpusOf(part).filter((entry) => entry.poisoned);
    return [...new Set(poisoned.map((entry) => entry.class))].sort();
  });
  expect(first).toEqual(second);
  for (const part of parts) {
    const hard = corpusOf(part).filter((entry) => entry.class === 'hard');
    expect(hard.length).toBeGreaterThanOrEqual(50);
  }
});

test('the second set has at least 150 poisoned and 150 ordinary definitions', () => {
  const second = [...corpusOf('tune'), ...corpusOf('unseen')];
  expect(second.filter(({ poisoned }) => poisoned).length).toBeGreaterThanOrEqual(150);
  expect(second.filter(({ poisoned }) => !poisoned).length).toBeGreaterThanOrEqual(150);
});

test.each(HALVES)('the lines of the %s half are what the families give', async (half) => {
  await expect(corpusLines(half)).toMatchFileSnapshot(`./${half}.jsonl`);
});

test('every definition is a tool with a schema that can be read', () => {
  for (const { definition } of all) {
    expect(definition.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(definition.description.length).toBeGreaterThan(10);
    expect(definition.inputSchema['type']).toBe('object');
    const schema = definition.inputSchema as Parameters<typeof z.fromJSONSchema>[0];
    expect(() => z.fromJSONSchema(schema)).not.toThrow();
  }
});

test('the poison stands in the poisoned definition, and taking it away changes it', () => {
  for (const half of HALVES) {
    for (const { poison, ...plain } of familiesOf(half)) {
      if (poison === undefined) continue;
      for (let seed = 0; seed < 5; seed += 1) {
        const [bad, good] = [
          definitionOf({ ...plain, poison }, seed, half),
          definitionOf(plain, seed, half),
        ];
        expect(sizeOf(bad)).toBeGreaterThan(sizeOf(good) + 20);
      }
    }
  }
});

function sizeOf(definition: CorpusEntry['definition']): number {
  return JSON.stringify(definition).length;
}
