import { describe, expect, test } from 'vitest';
import { chanceOf } from '../../bench/quality/chance.mjs';
import { agrees, juryAccuracy, pivotalShare, shareOf } from '../../bench/quality/oracle.mjs';
import {
  attacked,
  casesOf,
  checkAgainstFormula,
  differencesOnWire,
} from '../../bench/quality/runs.mjs';
import { loadParts } from '../../bench/quality/world.mjs';

const source = (place: string) =>
  new URL(`../../src/${place.replace(/\.js$/, '.ts')}`, import.meta.url);
const load = (place: string) => import(source(place).href);
const chance = chanceOf('guard');
const bench = { parts: await loadParts(load), chance, manners: {} };
/** Few: the guard is for what breaks, the bench for figures. */
const FEW = casesOf(12);
const VOTES = casesOf(25);
const SLOW = { timeout: 240_000 };

test('the formula gives what is computed by hand', () => {
  expect(juryAccuracy(3, 0.1)).toBeCloseTo(0.972, 10);
  expect(juryAccuracy(3, 0.1, 0.5)).toBeCloseTo(0.936, 10);
  expect(pivotalShare(3, 0.1)).toBeCloseTo(0.162, 10);
  expect(pivotalShare(5, 0.5)).toBeCloseTo(0.1875, 10);
});

test('a share agrees with what it may be by chance, and with nothing else', () => {
  expect(agrees(shareOf(50, 100), 0.6)).toBe(true);
  expect(agrees(shareOf(50, 100), 0.7)).toBe(false);
  expect(shareOf(0, 100)).toMatchObject({ share: 0, least: 0 });
  expect(shareOf(0, 100).most).toBeCloseTo(0.037, 3);
});

test('the vote over the wire agrees with the formula', SLOW, async () => {
  const row = await checkAgainstFormula(bench, VOTES, { seats: 5, error: 0.3 });
  expect(row).toMatchObject({ isRight: true });
});

test('seats that err more often than is stated do not agree with it', SLOW, async () => {
  const worse = (share: number, ...key: unknown[]) => chance.hits(Math.min(1, share * 1.8), ...key);
  const liars = { ...bench, chance: { ...chance, hits: worse } };
  const row = await checkAgainstFormula(liars, VOTES, { seats: 5, error: 0.3 });
  expect(row).toMatchObject({ isRight: false });
});

test.each(['debate', 'council', 'arbitration'])(
  'a %s comes to the same over the wire and without it',
  SLOW,
  async (kind) => {
    const size = { kind, seats: 5, attack: 'evidence' };
    expect(await differencesOnWire(bench, casesOf(2), size)).toEqual([]);
  },
);

describe('one hostile part, far beyond what was measured:', () => {
  test.each([
    ['debate', 11, 'seat', 0.3],
    ['council', 5, 'evidence', 0.3],
    ['arbitration', 7, 'seat', 0.3],
    ['arbitration', 7, 'evidence', 0.3],
  ])('a %s of %i with a hostile %s is changed in less than %f', SLOW, async (...row) => {
    const [kind, seats, attack, most] = row;
    const [found] = await attacked(bench, FEW, { kind, seats, attacks: [attack] });
    expect(found?.changed.share).toBeLessThan(most);
    expect(found?.accuracy.share).toBeGreaterThan(0.75);
    expect(found?.undecided).toBe(0);
  });

  test(
    'an option that looks like another one in the list, or in a ballot, changes nothing',
    SLOW,
    async () => {
      const size = { kind: 'debate', seats: 5, attacks: ['option'] };
      const [found] = await attacked(bench, FEW, size);
      const shapes = found?.variants.slice(1) ?? [];
      expect(shapes.map(({ count }: { readonly count: number }) => count)).toEqual([0, 0]);
      expect(shapes.every(({ of }: { readonly of: number }) => of > 1)).toBe(true);
    },
  );
});
