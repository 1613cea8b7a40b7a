import { expect, test } from 'vitest';
import { playMutation, readMutations } from './mutation.ts';

const LIMIT_MS = 400_000;

test.each(readMutations())(
  'a removed fix is found: $finding, $fault',
  { timeout: LIMIT_MS },
  async (mutation) => {
    const { isFound, output } = await playMutation(mutation);
    expect(isFound, output.slice(-4_000)).toBe(true);
  },
);
