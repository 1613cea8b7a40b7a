import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyPlain, deepFreeze, toStorable } from '../../../src/runtime/value/plain.ts';
import { decode, toJsonData } from '../../../src/runtime/value/typed-value.ts';

const SEED = 20_261_130;
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.string(),
    fc.date({ noInvalidDate: false }),
    fc.array(fc.option(tie('value'), { nil: undefined }), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => new Set(items)),
    fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((all) => new Map(all)),
  ),
}));

test('dates, maps, sets and undefined items come back from disk as they were', () => {
  fc.assert(
    fc.property(value, (given) => {
      const stored = toStorable(given, 'value');
      expect(decode(stored)).toEqual(given);
      expect(toStorable(stored, 'value')).toBe(stored);
      const atRest = deepFreeze({ value: JSON.parse(JSON.stringify({ value: stored })).value });
      expect(atRest.value).toEqual(stored);
      expect(decode(atRest.value)).toEqual(given);
      expect(copyPlain(JSON.parse(JSON.stringify({ stored })).stored)).toEqual(given);
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});

test('a value without them is not copied', () => {
  const stored = toStorable({ list: [1, { n: 2 }], text: 'x' }, 'value');
  expect(decode(stored)).toBe(stored);
});

test('what is decoded can be changed, and what is stored cannot', () => {
  const stored = toStorable({ at: new Date(5), tags: new Map([['a', { n: 1 }]]) }, 'value');
  const shown = decode(stored);
  shown.tags.set('b', { n: 2 });
  shown.at.setTime(0);
  expect(decode(stored)).toEqual({ at: new Date(5), tags: new Map([['a', { n: 1 }]]) });
});

test('parts that a new value shares with the one before keep their identity', () => {
  const before = toStorable({ at: new Date(5), tags: new Map([['a', [1, 2]]]), n: 1 }, 'value');
  const same = toStorable(decode(before), 'value', before);
  expect(same).toBe(before);
  const next = toStorable({ ...decode(before), n: 2 }, 'value', before);
  expect(next).not.toBe(before);
  expect([next.at, next.tags]).toEqual([before.at, before.tags]);
  expect(next.tags).toBe(before.tags);
});

test('readers outside of the process get texts and lists', () => {
  const value = { at: new Date(0), prices: new Map([['a', new Set([1])]]), never: new Date(NaN) };
  expect(toJsonData(value)).toEqual({
    at: '1970-01-01T00:00:00.000Z',
    prices: [['a', [1]]],
    never: null,
  });
});
