import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readArguments } from '../../../src/tools/service/read-arguments.ts';

const Shape = z.strictObject({
  name: z.string().max(20),
  count: z.int().min(1).max(9).optional(),
  ratio: z.number().default(0.5),
  is_open: z.boolean().optional(),
  kinds: z.array(z.enum(['red', 'green', 'blue'])).optional(),
  tags: z.array(z.string().max(10)).optional(),
  sizes: z.array(z.number()).optional(),
  nested: z.strictObject({ depth: z.int().optional() }).optional(),
  shapes: z
    .array(z.union([z.strictObject({ id: z.int(), note: z.string().optional() }), z.string()]))
    .optional(),
  either: z.union([z.strictObject({ id: z.int() }), z.string()]).optional(),
});
const read = (given: object) => readArguments(Shape, { name: 'a', ...given });

describe('arguments as clients send them', () => {
  test.each([
    ['null for an optional argument', { count: null, nested: null }, {}],
    ['null in a nested object', { nested: { depth: null } }, { nested: {} }],
    ['null for an optional choice', { either: null }, {}],
    [
      'null in one of several shapes',
      { shapes: [{ id: 1, note: null }, 'b'] },
      { shapes: [{ id: 1 }, 'b'] },
    ],
    ['a number as text', { count: '3', ratio: ' 0.25 ' }, { count: 3, ratio: 0.25 }],
    ['a list as JSON text', { kinds: '["red","blue"]' }, { kinds: ['red', 'blue'] }],
    ['a list with commas of known values', { kinds: 'red, blue' }, { kinds: ['red', 'blue'] }],
    ['a list of one as text', { kinds: 'red' }, { kinds: ['red'] }],
    ['a list of numbers as texts', { sizes: '["1","2"]' }, { sizes: [1, 2] }],
    ['a number as text in an object', { nested: { depth: '2' } }, { nested: { depth: 2 } }],
    [
      'items with a comma that only fit as two',
      { tags: 'first tag,second' },
      { tags: ['first tag', 'second'] },
    ],
  ])('%s is read', (_what, given, wanted) => {
    expect(read(given).data).toEqual({ name: 'a', ratio: 0.5, ...wanted });
  });

  test.each([
    ['null for a required argument', { name: null }, 'name'],
    ['a list with a comma that fits as one and as two', { tags: 'a,b' }, 'tags'],
    ['a number with other characters', { count: '3 or 4' }, 'count'],
    ['a number beyond the bounds', { count: '10' }, 'count'],
    ['hexadecimal, exponents and infinity', { count: '0x3' }, 'count'],
    ['a boolean as text', { is_open: 'true' }, 'is_open'],
    ['a number for a text', { name: 42 }, 'name'],
    ['a number for a list of numbers', { sizes: 4 }, 'sizes'],
    ['an object as text', { nested: '{"depth":2}' }, 'nested'],
    ['an unknown argument', { other: null }, ''],
    ['JSON of another type', { nested: '[1]' }, 'nested'],
    ['an object for a text', { name: { text: 'a' } }, 'name'],
  ])('%s is refused, with the value that came', (_what, given, path) => {
    const { error } = read(given);
    expect(error?.issues[0]?.path.join('.')).toBe(path);
  });
});

test('what fits the schema is never changed', () => {
  const whole = fc.record(
    {
      name: fc.string({ maxLength: 20 }),
      count: fc.integer({ min: 1, max: 9 }),
      tags: fc.array(fc.string({ maxLength: 10 })),
      either: fc.oneof(fc.record({ id: fc.integer() }), fc.string()),
    },
    { requiredKeys: ['name'] },
  );
  fc.assert(
    fc.property(whole, (given) => {
      expect(readArguments(Shape, given).data).toEqual(Shape.parse(given));
    }),
  );
});

test('anything at all is read or refused, and the arguments stay as they came', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: false }), (given) => {
      const before = structuredClone(given);
      const { success, error } = readArguments(Shape, given);
      expect(success || error !== undefined).toBe(true);
      expect(given).toEqual(before);
    }),
  );
});

test('many repairs cost little more than many values', () => {
  const sizes = Array.from({ length: 50_000 }, (_, at) => String(at));
  const begun = performance.now();
  expect(read({ sizes }).data?.sizes?.at(-1)).toBe(49_999);
  expect(read({ sizes: Array.from({ length: 50_000 }, () => null) }).success).toBe(false);
  // A hang guard: to copy the arguments for each repair takes minutes.
  expect(performance.now() - begun).toBeLessThan(10_000);
});
