import { expect, test } from 'vitest';
import { compare, DIFFERENCES_MAX } from '../../web/src/journal/compare.ts';
import { formatHidden, isHidden } from '../../web/src/journal/hidden.ts';

test('equal values differ nowhere', () => {
  const value = { a: [1, { b: 'x' }], c: null };
  expect(compare(value, structuredClone(value))).toEqual([]);
});

test('added, removed and changed members are told by their path', () => {
  const before = { kept: 1, gone: 'x', seats: [{ name: 'one' }, { name: 'two' }] };
  const after = { kept: 1, seats: [{ name: 'one' }, { name: 'other' }, { name: 'three' }], now: 0 };
  expect(compare(before, after)).toEqual([
    { path: 'gone', kind: 'removed', before: 'x' },
    { path: 'seats[1].name', kind: 'changed', before: 'two', after: 'other' },
    { path: 'seats[2]', kind: 'added', after: { name: 'three' } },
    { path: 'now', kind: 'added', after: 0 },
  ]);
});

test('a null that takes the place of a value is a change and no removal', () => {
  expect(compare({ a: 'x' }, { a: null })).toEqual([
    { path: 'a', kind: 'changed', before: 'x', after: null },
  ]);
});

test('a list in place of an object is one change of the whole', () => {
  expect(compare({ a: [1] }, { a: { 0: 1 } })).toEqual([
    { path: 'a', kind: 'changed', before: [1], after: { 0: 1 } },
  ]);
});

test('a hidden value is compared as one thing', () => {
  const hidden = (size: number) => ({ hidden: 'text', size });
  expect(compare({ a: hidden(3) }, { a: hidden(3) })).toEqual([]);
  expect(compare({ a: hidden(3) }, { a: hidden(4) })).toEqual([
    { path: 'a', kind: 'changed', before: hidden(3), after: hidden(4) },
  ]);
});

test('names that are no words are written in quotes, and names of Object are only names', () => {
  const before = JSON.parse('{"a b": 1, "__proto__": {"x": 1}, "constructor": 1}');
  const after = JSON.parse('{"a b": 2, "__proto__": {"x": 2}}');
  expect(compare(before, after).map(({ path, kind }) => [path, kind])).toEqual([
    ['["a b"]', 'changed'],
    ['__proto__.x', 'changed'],
    ['constructor', 'removed'],
  ]);
});

test('a comparison ends at its bound', () => {
  const numbers = Array.from({ length: DIFFERENCES_MAX + 50 }, (_, index) => index);
  expect(compare([], numbers)).toHaveLength(DIFFERENCES_MAX);
});

test('a hidden value says what it is and how large', () => {
  expect(formatHidden({ hidden: 'text', size: 132 })).toBe('hidden text, 132 characters');
  expect(formatHidden({ hidden: 'list', size: 1 })).toBe('hidden list, 1 item');
  expect(formatHidden({ hidden: 'boolean', size: 1 })).toBe('hidden boolean');
  expect(isHidden({ hidden: 'text', size: 1, more: 1 })).toBe(false);
  expect(isHidden({ hidden: 'text', size: '1' })).toBe(false);
});
