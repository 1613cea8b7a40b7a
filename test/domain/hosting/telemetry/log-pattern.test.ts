import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compileLabelPattern,
  compileTextPattern,
} from '../../../../src/domain/hosting/telemetry/log-pattern.ts';

test('* stands for any characters, and the whole label must fit', () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 8 });
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 });
  fc.assert(
    fc.property(piece, value, (filter, text) => {
      fc.pre(filter !== '' && !/^\/.+\/i?$/.test(filter));
      const expected = new RegExp(`^${filter.replaceAll('*', '.*')}$`).test(text);
      expect(compileLabelPattern(filter, 'host').matches(text)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});

test('words of a text are found in any case, and * between them', () => {
  expect(compileTextPattern('Disk*FULL').matches('the disk is nearly full')).toBe(true);
  expect(compileTextPattern('full*disk').matches('the disk is full')).toBe(false);
  expect(compileTextPattern('a.b').matches('axb')).toBe(false);
});

test('an expression between slashes is one of RE2, in its own case unless it says i', () => {
  expect(compileTextPattern('/time(out|d out)$/').matches('request timed out')).toBe(true);
  expect(compileTextPattern('/TIME/').matches('request timed out')).toBe(false);
  expect(compileTextPattern('/TIME/i').matches('request timed out')).toBe(true);
  expect(compileLabelPattern('/^4\\d\\d$/', 'statusCode').matches('404')).toBe(true);
  expect(compileLabelPattern('/^4\\d\\d$/', 'statusCode').matches('4041')).toBe(false);
});

test('a path between slashes is a path, unless it has the signs of an expression', () => {
  expect(compileLabelPattern('/users/', 'path')).toMatchObject({ exact: '/users/' });
  expect(compileLabelPattern('/a/*/', 'path').matches('/a/b/')).toBe(true);
  expect(compileLabelPattern('/^\\/a\\/\\d+$/', 'path').matches('/a/17')).toBe(true);
});

test('what other engines take for ever over is answered at once', () => {
  const begun = performance.now();
  const text = `${'a'.repeat(16_000)}!`;
  for (const filter of ['/^(a+)+$/', '/(a|aa)*b/', '/(.*a){20}$/', '*a*a*a*a*b*']) {
    expect(compileTextPattern(filter).matches(text)).toBe(false);
  }
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test.each([
  ['', 'it must have 1 to 512 characters'],
  ['x'.repeat(513), 'it must have 1 to 512 characters'],
  ['/(/', 'it must be a valid RE2 expression'],
  ['/(a)\\1/', 'it must be a valid RE2 expression'],
  ['/(?=a)/', 'it must be a valid RE2 expression'],
  ['/(a{1000}){1000}/', 'it must be a valid RE2 expression'],
])('%j is refused', (filter, words) => {
  expect(() => compileTextPattern(filter)).toThrow(words);
});
