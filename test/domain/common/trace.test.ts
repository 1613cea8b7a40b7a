import { expect, test } from 'vitest';
import { readTraceparent } from '../../../src/domain/common/trace.ts';

const HEADER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const META = '00-11111111111111111111111111111111-2222222222222222-00';

test('the header goes before the member of _meta', () => {
  expect(readTraceparent(HEADER, { traceparent: META })).toBe(HEADER);
  expect(readTraceparent(undefined, { traceparent: META })).toBe(META);
  expect(readTraceparent(undefined, undefined)).toBe(undefined);
});

test.each([
  'nothing',
  HEADER.toUpperCase(),
  HEADER.replace('00-', 'ff-'),
  HEADER.slice(0, -1),
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
])('%s counts as none', (text) => {
  expect(readTraceparent(text, { traceparent: text })).toBe(undefined);
  expect(readTraceparent(text, { traceparent: META })).toBe(META);
});
