import { expect, test } from 'vitest';
import { fixturesOf } from '../support/upstreams/upstream-server.ts';

type Drift = (fixture: unknown, answer: unknown) => readonly string[];
const { shapeDrift } = (await import('../../scripts/lib/shape-drift.mjs' as string)) as {
  shapeDrift: Drift;
};

const FIXTURE = { at: '{{#ms}}', result: { pair: { c: ['1', '2'] } }, note: null };

test('an answer of the same shape has no drift, whatever its values and what is new', () => {
  const answer = { at: 1, result: { pair: { c: ['9'], more: 1 } }, note: 'x', extra: [] };
  expect(shapeDrift(FIXTURE, answer)).toEqual([]);
});

test('what is missing or of another kind is named by its path', () => {
  const answer = { at: '2026', result: { pair: { c: '9' } } };
  expect(shapeDrift(FIXTURE, answer)).toEqual([
    'at: number, now string',
    'result.pair.c: array, now string',
  ]);
  expect(shapeDrift(FIXTURE, undefined)).toEqual(['all: object, now missing']);
  expect(shapeDrift([{ a: 1 }], [{ b: 1 }])).toEqual(['[0].a: number, now missing']);
});

test.each(['kraken', 'coinbase', 'binance', 'bitstamp'])(
  'each fixture of %s has its own shape',
  (upstream) => {
    for (const { body } of fixturesOf(upstream)) expect(shapeDrift(body, body)).toEqual([]);
  },
);
