import { Parser } from 'htmlparser2';
import { expect, test } from 'vitest';
import { limitDepth, MARKUP_DEPTH_MAX } from '../../../src/domain/common/markup-depth.ts';

test.each([
  [MARKUP_DEPTH_MAX, MARKUP_DEPTH_MAX],
  [MARKUP_DEPTH_MAX + 1, MARKUP_DEPTH_MAX],
  [50_000, MARKUP_DEPTH_MAX],
])('of %i elements inside each other, %i are seen', (deep, seen) => {
  let opened = 0;
  const onopentagname = () => {
    opened += 1;
  };
  const parser = new Parser(limitDepth({ onopentagname }, () => parser.pause()));
  parser.write('<b>'.repeat(deep));
  parser.end();
  expect(opened).toBe(seen);
});

test('elements side by side are all seen', () => {
  let opened = 0;
  const onopentagname = () => {
    opened += 1;
  };
  const parser = new Parser(limitDepth({ onopentagname }, () => parser.pause()));
  parser.end('<p><b>a</b></p>'.repeat(1_000));
  expect(opened).toBe(2_000);
});
