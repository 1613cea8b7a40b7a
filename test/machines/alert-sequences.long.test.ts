import { expect, test } from 'vitest';
import { playAlert } from '../support/alert-sequences.ts';
import { seeded } from '../support/seeded.ts';

test('an alert lives as its rules say, over 4,000 random lives of 60 events', {
  timeout: 600_000,
}, () => {
  for (let seed = 1; seed <= 4_000; seed += 1) {
    expect(playAlert(seeded(seed * 7919), 60), `seed ${seed * 7919}`).toBeUndefined();
  }
});
