import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jaroWinkler, LIKELY_SCORE, matchNames } from '../../../src/domain/company/match.ts';
import { normalizeName } from '../../../src/domain/company/names.ts';

const SEED = 20261123;
const name = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });

test('the score is between 0 and 1, the same both ways, and 1 for a name with itself', () => {
  const holds = (one: string, other: string) => {
    const { score } = matchNames(one, other);
    expect(score).toBe(matchNames(other, one).score);
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
    if (normalizeName(one).text !== '') expect(matchNames(one, one).score).toBe(1);
  };
  fc.assert(fc.property(name, name, holds), { seed: SEED, numRuns: 500 });
});

test('making a name plain twice changes nothing more', () => {
  const holds = (one: string) => {
    const { text } = normalizeName(one);
    // A name of nothing but legal forms is kept as it is.
    if (normalizeName(one).forms.length === 0) expect(normalizeName(text).text).toBe(text);
  };
  fc.assert(fc.property(name, holds), { seed: SEED, numRuns: 500 });
});

// Values of Winkler's own paper (1990), as they are cited ever since.
test.each([
  ['martha', 'marhta', 0.961],
  ['dwayne', 'duane', 0.84],
  ['dixon', 'dicksonx', 0.813],
])('Jaro-Winkler of %s and %s is %d', (one, other, score) => {
  expect(jaroWinkler(one, other)).toBeCloseTo(score, 2);
  expect(jaroWinkler(other, one)).toBeCloseTo(score, 2);
});

test.each([
  ['Apple Inc.', 'APPLE, INCORPORATED'],
  ['L’Oréal S.A.', 'Loreal SA'],
  ['Газпром ПАО', 'Gazprom PAO'],
  ['Société Générale', 'SOCIETE GENERALE'],
  ['Müller & Söhne GmbH', 'Muller and Sohne'],
  ['ＡＣＭＥ　Ltd', 'Acme'],
])('%s and %s are one name', (one, other) => {
  expect(matchNames(one, other)).toEqual({ score: 1, method: 'exact' });
});

test.each([
  ['Acme Trading Limited', 'Trading Acme Ltd', true],
  ['International Business Machines', 'Internatonal Business Machine', true],
  ['Apple Inc', 'Applied Materials Inc', false],
  ['First National Bank', 'Second National Bank', false],
  ['Nova', 'Novartis', false],
  ['Orange', 'Yellow', false],
])('%s and %s may be one: %s', (one, other, isLikely) => {
  const { score } = matchNames(one, other);
  expect(score >= LIKELY_SCORE).toBe(isLikely);
  expect(score).toBeLessThan(1);
});
