import { expect, test } from 'vitest';
import { assertPlain } from '../../src/runtime/plain.ts';

test('what stands at the same place as before is not looked at again, the rest is', () => {
  const kept = { turns: [{ a: 1 }], input: { seats: ['s1'] } };
  const looked: string[] = [];
  const watched = new Proxy(kept.input, {
    ownKeys: (target) => {
      looked.push('input');
      return Reflect.ownKeys(target);
    },
  });
  const before = { ...kept, input: watched };
  assertPlain(before, 'context');
  expect(looked).not.toEqual([]);
  looked.length = 0;
  assertPlain({ ...before, turns: [...before.turns, { b: 2 }] }, 'context', before);
  expect(looked).toEqual([]);
  assertPlain({ moved: watched }, 'context', before);
  expect(looked).not.toEqual([]);
});

test('a fault beside known parts is found, and its place is named', () => {
  const before = { turns: [{ a: 1 }], input: { deep: [{ b: 2 }] } };
  const list = { ...before, turns: [...before.turns, { c: Number.NaN }] };
  expect(() => assertPlain(list, 'context', before)).toThrow(
    'context.turns[1].c is not a finite number',
  );
  const member = { ...before, input: { ...before.input, when: new Date(0) } };
  expect(() => assertPlain(member, 'context', before)).toThrow(
    'context.input.when is not a plain object',
  );
  expect(() => assertPlain([undefined], 'context', before)).toThrow('context[0] is undefined');
});

test('a value that holds itself is refused, whatever was before', () => {
  const round: { self?: unknown } = {};
  round.self = round;
  expect(() => assertPlain(round, 'context', {})).toThrow('is nested deeper than 64 levels');
});
