import { afterAll, beforeAll, expect, test } from 'vitest';
import { search } from './search.ts';
import { UNITS } from './text/fragments.ts';
import { exponentOf, growthFault } from './text/growth.ts';
import { READERS, type TextReader } from './text/readers.ts';
import { ReadingProcess } from './text/reading.ts';

let reading: ReadingProcess;
beforeAll(async () => {
  reading = await ReadingProcess.start();
});
afterAll(() => reading.close());

test('the time of each reader grows with the text, and stays within a turn at its bound', {
  timeout: 3_600_000,
}, async () => {
  await search(
    'text of one repeated part',
    async ({ round, pick }) => {
      const { name, charsMax, turnChars } = READERS[round % READERS.length] as TextReader;
      const unit = pick(UNITS);
      const parts = ['', unit, ''] as const;
      const fault = await growthFault(reading, { reader: name, parts, charsMax, turnChars });
      if (fault !== undefined) throw new Error(`${name}, ${JSON.stringify(unit)}: ${fault}`);
    },
    // Each reader comes up twice at the most: text.long.test.ts has the rest of the time.
    { roundsMin: READERS.length, roundsMax: 2 * READERS.length },
  );
});

test('growth is told from noise', () => {
  const rows = (power: number) =>
    [1, 2, 4, 8, 16].map((each) => [each * 1_024, 3 * each ** power] as const);
  expect(exponentOf(rows(1))).toBeCloseTo(1);
  expect(exponentOf(rows(2))).toBeCloseTo(2);
  expect(exponentOf(rows(2).map(([chars, ms]) => [chars, ms / 10_000]))).toBe(1);
  const jump = rows(1).map(([chars, ms]) => [chars, chars > 10_000 ? 8 * ms : ms] as const);
  expect(exponentOf(jump)).toBeCloseTo(1);
});

test('a reader that hangs is stopped and named', { timeout: 120_000 }, async () => {
  const reader = { source: '(?:a|aa)+b', flags: '' };
  const grown = { reader, parts: ['', 'a', ''] as const, charsMax: 65_536 };
  expect(await growthFault(reading, grown)).toMatch(/^it hangs/);
});
