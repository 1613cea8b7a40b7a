import { expect, test } from 'vitest';
import { LEXICON_TERMS } from '../../../src/providers/sentiment/finance-lexicon.ts';
import { vaderScorer } from '../../../src/providers/sentiment/vader-scorer.ts';

// Compound scores that the README of VADER (cjhutto/vaderSentiment) publishes for its examples.
test.each([
  ['VADER is smart, handsome, and funny.', 0.8316],
  ['VADER is smart, handsome, and funny!', 0.8439],
  ['VADER is very smart, handsome, and funny.', 0.8545],
  ['VADER is VERY SMART, handsome, and FUNNY.', 0.9227],
  ['VADER is VERY SMART, handsome, and FUNNY!!!', 0.9342],
  ['VADER is VERY SMART, uber handsome, and FRIGGIN FUNNY!!!', 0.9469],
  ['VADER is not smart, handsome, nor funny.', -0.7424],
  ['The book was good.', 0.4404],
  ["At least it isn't a horrible book.", 0.431],
  ['The book was only kind of good.', 0.3832],
  ['Today SUX!', -0.5461],
  ["Today only kinda sux! But I'll get by, lol", 0.5249],
  ['Not bad at all', 0.431],
])('the published example "%s" scores as published: %d', (text, expected) => {
  expect(vaderScorer.score(text)).toBe(expected);
});

test.each([
  ['Bitcoin surges past $100k', 'good'],
  ['Shares slump after profit warning', 'bad'],
  ['The company filed for bankruptcy', 'bad'],
  ['Regulator probes the exchange', 'bad'],
  ['Stock hits all-time high', 'good'],
  ['The bank did NOT default', 'good'],
  ['No fraud was found', 'good'],
  ['Don\u2019t call it a rally', 'bad'],
  ['Interest rates unchanged', 'neither'],
  ['He shares the treasury bonds of the trust', 'neither'],
  ['', 'neither'],
  ['a'.repeat(100_000), 'neither'],
])('terms of money sound as they are meant: "%s" is %s', (text, expected) => {
  const score = vaderScorer.score(text);
  const sounds = score > 0.05 ? 'good' : 'bad';
  expect(Math.abs(score) <= 0.05 ? 'neither' : sounds).toBe(expected);
});

test('the method says its name, its version, and by how many terms of our own', () => {
  expect(LEXICON_TERMS).toBeGreaterThan(300);
  expect(vaderScorer.method).toContain('vader-sentiment 1.1.3');
  expect(vaderScorer.method).toContain(`${LEXICON_TERMS} terms`);
});
