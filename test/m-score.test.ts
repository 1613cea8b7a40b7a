import { test } from 'vitest';
import { corpusScore } from './support/audits/corpus-score.ts';
import { corpusOf } from './support/corpus/corpus.ts';
test('score', { timeout: 200000 }, () => {
  for (const half of ['development', 'tune', 'unseen', 'held-out'] as const) {
    const s = corpusScore(half);
    console.log(half, s.poisoned, s.ordinary, 'caught', s.caught, 'fa', s.falseAlarms, s.precision.toFixed(3), s.recall.toFixed(3));
    if (half === 'tune' && process.env.SHOW) {
      const by = new Map(corpusOf(half).map((e) => [e.id, e.definition]));
      for (const id of s.missed) console.log('MISS', id, JSON.stringify(by.get(id)));
      for (const id of s.alarms) console.log('ALARM', id, JSON.stringify(by.get(id)));
    }
  }
});
