import { expect, test } from 'vitest';
import { playAlert } from '../support/alert-sequences.ts';
import { seeded } from '../support/seeded.ts';

test('an alert lives as its rules say, over 150 random lives of 60 events', {
  timeout: 300_000,
}, () => {
  for (let seed = 1; seed <= 150; seed += 1) {
    expect(playAlert(seeded(seed), 60), `seed ${seed}`).toBeUndefined();
  }
});
