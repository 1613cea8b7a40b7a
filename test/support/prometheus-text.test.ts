import { expect, test } from 'vitest';
import { readMetrics } from './prometheus-text.ts';

const HEAD = '# HELP a What it is.\n# TYPE a gauge\n';
const HISTOGRAM = '# HELP a What it is.\n# TYPE a histogram\n';

test.each([
  ['a line that does not end', `${HEAD}a 1`],
  ['a sample of another metric', `${HEAD}b 1\n`],
  ['a sample that comes twice', `${HEAD}a{x="1"} 1\na{x="1"} 2\n`],
  ['a value that is no number', `${HEAD}a one\n`],
  ['a label without quotes', `${HEAD}a{x=1} 1\n`],
  ['a label with a wrong escape', `${HEAD}a{x="\\q"} 1\n`],
  ['a type without help', '# TYPE a gauge\na 1\n'],
  [
    'buckets that shrink',
    `${HISTOGRAM}a_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n`,
  ],
  [
    'a count that is not the last bucket',
    `${HISTOGRAM}a_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n`,
  ],
  ['a histogram without a sum', `${HISTOGRAM}a_bucket{le="+Inf"} 1\na_count 1\n`],
])('%s is refused', (_what, text) => {
  expect(() => readMetrics(text)).toThrow();
});
