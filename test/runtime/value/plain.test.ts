import fc from 'fast-check';
import { expect, test } from 'vitest';
import { copyPlain, toStorable } from '../../../src/runtime/value/plain.ts';

const SEED = 20_261_126;

test('what is kept is frozen all the way down, and is what comes back from rest', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const kept = toStorable(value, 'value');
      expect(kept).toStrictEqual(JSON.parse(JSON.stringify(value)));
      expect(isFrozen(kept)).toBe(true);
      expect(toStorable(kept, 'value')).toBe(kept);
      expect(copyPlain(kept)).toStrictEqual(kept);
    }),
    { seed: SEED, numRuns: 500 },
  );
});

test('whatever is accepted is the same after a rest; the rest is refused', () => {
  const anything = fc.anything({
    withDate: true,
    withNullPrototype: true,
    withBoxedValues: true,
    withSparseArray: true,
    withMap: true,
    withSet: true,
    withBigInt: true,
    withTypedArray: true,
  });
  let accepted = 0;
  fc.assert(
    fc.property(anything, (value) => {
      let kept: unknown;
      try {
        kept = toStorable(value, 'value');
      } catch {
        return;
      }
      accepted += 1;
      const atRest: unknown = kept === undefined ? undefined : JSON.parse(JSON.stringify(kept));
      expect(kept).toStrictEqual(atRest);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
  expect(accepted).toBeGreaterThan(200);
});

test.each([
  [
    'a named member of a list',
    Object.assign([1], { note: 'x' }),
    'v has members other than its items',
  ],
  ['a symbol', { [Symbol('s')]: 1 }, 'v has a symbol key'],
  ['an error', { a: new Error('x') }, 'v.a is an instance of Error; it must be a plain object'],
  ['a function in a map', { a: new Map([[1, () => 1]]) }, 'v.a[0][1] is a function'],
  ['the mark of a stored form', { stoa$$type: 'Date', value: 0 }, 'v.stoa$$type is reserved'],
  ['a function', { f: () => 1 }, 'v.f is a function, which JSON cannot represent'],
  ['a bigint', { n: 1n }, 'v.n is a bigint, which JSON cannot represent'],
  ['not a number', { n: Number.NaN }, 'v.n is NaN; it must be a finite number'],
  ['a reference', { xstate$$type: 1 }, 'v contains an actor reference'],
])('%s is refused by name', (_name, value, message) => {
  expect(() => toStorable(value, 'v')).toThrow(message);
});

test('what JSON writes in another way is so at once', () => {
  const given = {
    zero: -0,
    gone: undefined,
    get now() {
      return 1;
    },
    none: Object.create(null) as unknown,
  };
  expect(toStorable(given, 'v')).toStrictEqual({ zero: 0, now: 1, none: {} });
  const own = toStorable(JSON.parse('{"__proto__":{"admin":true}}') as object, 'v');
  expect(JSON.stringify(own)).toBe('{"__proto__":{"admin":true}}');
  expect('admin' in own).toBe(false);
});

test('a frozen value with parts that can change is copied', () => {
  const list = [1];
  const given = Object.freeze({ list });
  const kept = toStorable(given, 'v');
  list.push(2);
  expect(kept).toStrictEqual({ list: [1] });
});

test('what stands at the same place as before is taken as it is, the rest is looked at', () => {
  const before = toStorable({ turns: [{ a: 1 }], input: { seats: ['s1'] } }, 'context');
  const after = toStorable({ ...before, turns: [...before.turns, { a: 2 }] }, 'context', before);
  expect(after.input).toBe(before.input);
  expect(after.turns[0]).toBe(before.turns[0]);
  const list = { ...before, turns: [...before.turns, { c: Number.NaN }] };
  expect(() => toStorable(list, 'context', before)).toThrow('context.turns[1].c is NaN');
});

test('a value that holds itself is refused at once, however often', () => {
  const round: unknown[] = [];
  round.push(round, { round });
  expect(() => toStorable(round, 'v')).toThrow('v[0] contains itself');
  const deep = Array.from({ length: 70 }).reduce((inner) => [inner], 1);
  expect(() => toStorable(deep, 'v')).toThrow('is nested deeper than 64 levels');
});

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

test('a frozen record with a getter is read once and kept as what it gave', () => {
  let reads = 0;
  const value = Object.freeze({
    get count() {
      reads += 1;
      return reads;
    },
  });
  const stored = toStorable(value, 'event');
  expect([stored.count, stored.count, reads]).toEqual([1, 1, 1]);
});
