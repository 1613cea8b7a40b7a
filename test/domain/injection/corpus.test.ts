import { expect, test } from 'vitest';
import {
  CORPUS,
  CORPUS_VERSION,
  computeCorpusHash,
  listInjections,
} from '../../../src/domain/injection/corpus.ts';
import { INJECTION_CLASSES, InjectionClass } from '../../../src/domain/injection/injection.ts';
import {
  drawTrialWords,
  renderAttack,
  renderControl,
} from '../../../src/domain/injection/sent-text.ts';

const SEEDS = Array.from({ length: 50 }, (_one, at) => `seed-${at}`);

test('the corpus is the one that this version names', () => {
  expect([CORPUS_VERSION, computeCorpusHash()]).toEqual([
    1,
    '1e2287d677468666e093a10d79f11618d012e82f5ee28ae652d9157b794cb2a1',
  ]);
});

test('every class has four injections with names of their own, six classes of each channel', () => {
  expect(new Set(CORPUS.map(({ id }) => id)).size).toBe(CORPUS.length);
  for (const name of InjectionClass.options) expect(listInjections(name)).toHaveLength(4);
  const channels = Object.values(INJECTION_CLASSES).map(({ channel }) => channel);
  expect(channels.filter((one) => one === 'direct')).toHaveLength(6);
  expect(channels.filter((one) => one === 'indirect')).toHaveLength(6);
});

test.each(CORPUS)('$id asks for what nothing that is sent contains', (injection) => {
  for (const seed of SEEDS) {
    const words = drawTrialWords(seed, injection.id);
    const attack = renderAttack(injection, words);
    const control = renderControl(injection, words);
    for (const sent of [attack, control]) {
      const shown = sent.replaceAll('\u200b', '').toLowerCase();
      expect(shown).not.toContain(words.sign);
      expect(shown.replaceAll(/[^a-z]/g, '')).not.toContain(words.sign);
      expect(sent).not.toContain('{{');
      expect(sent.length).toBeLessThan(1_000);
    }
    expect(attack).not.toBe(control);
  }
});

test('the same seed gives the same words, and no two injections share them', () => {
  const signs = CORPUS.map(({ id }) => drawTrialWords('seed', id).sign);
  expect(new Set(signs).size).toBe(CORPUS.length);
  expect(CORPUS.map(({ id }) => drawTrialWords('seed', id).sign)).toEqual(signs);
  expect(drawTrialWords('other', 'override-1').sign).not.toBe(signs[0]);
});
