import { expect, test } from 'vitest';
import { parseJsonWithin, RESPONSE_JSON_BOUNDS } from '../../../src/domain/common/json-bounds.ts';

const DEEP = 100_000;

test.each([
  ['lists inside each other', '['.repeat(DEEP) + ']'.repeat(DEEP)],
  ['objects inside each other', `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
  ['one level too many', '['.repeat(129) + ' '.repeat(1_000) + ']'.repeat(129)],
  ['members without an end', `[${'1,'.repeat(RESPONSE_JSON_BOUNDS.membersMax)}1]`],
  ['no JSON', '{"a":'],
])('%s are no value', (_name, text) => {
  expect(parseJsonWithin(text)).toBeUndefined();
});

test.each([
  ['brackets in a text', JSON.stringify({ a: '[{'.repeat(DEEP) })],
  ['quotes and backslashes in a text', JSON.stringify({ a: '\\"['.repeat(DEEP) })],
  ['levels side by side', `[${Array.from({ length: 20_000 }, () => '[[[]]]').join(',')}]`],
  ['the deepest', '['.repeat(128) + ' '.repeat(1_000) + ']'.repeat(128)],
])('%s are read', (_name, text) => {
  expect(parseJsonWithin(text)).toEqual(JSON.parse(text));
});
