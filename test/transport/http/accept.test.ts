import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptsType } from '../../../src/transport/http/accept.ts';

const JSON_TYPE = 'application/json';

test.for([
  [JSON_TYPE, true],
  ['Application/JSON', true],
  ['application/json; charset=utf-8', true],
  ['text/html, application/json;q=0.001', true],
  ['application/*', true],
  ['*/*', true],
  ['*/*;q=0.1', true],
  ['text/html;a="b,c;q=0", application/json', true],
  ['application/json;version=2;q=0, application/json', true],
  ['application/json;version=2;q=0, */*', true],
  ['application/*;q=0, application/json', true],
  ['application/json;Q=1.000', true],
  ['application/json;q=0', false],
  ['application/json; q=0.000', false],
  ['application/json;q=0, */*', false],
  ['*/*, application/json;q=0', false],
  ['application/*;q=0, */*;q=1', false],
  ['*/*;q=0', false],
  ['application/json;q=2', false],
  ['application/json;q=-1', false],
  ['application/json;q=much', false],
  ['application/jsonp', false],
  ['x-application/json', false],
  ['text/html;a="application/json"', false],
  ['text/html;a="x, application/json"', false],
  ['text/*', false],
  ['', false],
] as const)('Accept: %s', ([accept, wanted]) => {
  expect(acceptsType(accept, JSON_TYPE)).toBe(wanted);
});

test('the order of the ranges and their case change nothing', () => {
  const range = fc.constantFrom('*/*', 'application/*', JSON_TYPE, 'text/html', 'text/*');
  const weight = fc.constantFrom('', ';q=0', ';q=0.5', '; Q=1', ';q=0.000');
  const ranges = fc.uniqueArray(fc.tuple(range, weight), { selector: ([name]) => name });
  fc.assert(
    fc.property(ranges, (list) => {
      const told = list.map(([name, q]) => name + q);
      const weightOf = (name: string) => list.find(([one]) => one === name)?.[1];
      const weight = weightOf(JSON_TYPE) ?? weightOf('application/*') ?? weightOf('*/*');
      const wanted = weight !== undefined && !/q=0(?:\.0+)?$/.test(weight);
      expect(acceptsType(told.join(', '), JSON_TYPE)).toBe(wanted);
      expect(acceptsType(told.toReversed().join(',').toUpperCase(), JSON_TYPE)).toBe(wanted);
    }),
  );
});
