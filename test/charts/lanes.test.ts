import { expect, test } from 'vitest';
import { assignLanes } from '../../src/charts/narrow-layout.ts';

const STRETCHES = Array.from({ length: 40 }, (_, index) => {
  const first = (index * 17) % 50;
  return { key: `to ${index}`, first, last: first + 1 + ((index * 7) % 12) };
});

test('stretches of one lane never meet, not even at their ends', () => {
  const lanes = assignLanes(STRETCHES);
  expect(lanes.size).toBe(STRETCHES.length);
  const together = STRETCHES.flatMap((one, index) =>
    STRETCHES.slice(index + 1)
      .filter((other) => lanes.get(one.key) === lanes.get(other.key))
      .filter((other) => one.first <= other.last && other.first <= one.last)
      .map((other) => `${one.key} and ${other.key}`),
  );
  expect(together).toEqual([]);
  const most = Math.max(...STRETCHES.map(({ first }) => across(first)));
  expect(Math.max(...lanes.values()) + 1).toBeLessThan(2 * most);
});

test('the shortest stretch runs innermost, whatever the order', () => {
  const [long, short] = [
    { key: 'long', first: 0, last: 9 },
    { key: 'short', first: 3, last: 4 },
  ];
  const wanted = new Map([
    ['short', 0],
    ['long', 1],
  ]);
  expect(assignLanes([long, short])).toEqual(wanted);
  expect(assignLanes([short, long])).toEqual(wanted);
});

function across(place: number): number {
  return STRETCHES.filter(({ first, last }) => first <= place && place <= last).length;
}
