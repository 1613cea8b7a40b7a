import { expect, test } from 'vitest';
import { EXTRACT_THREADS_MAX, PageExtractor } from '../../../src/providers/page/extract.ts';
import { checkPageSize, DEPTH_MAX, ELEMENTS_MAX } from '../../../src/providers/page/guard.ts';
import { realClock } from '../../support/real-clock.ts';
import { hurriedClock } from '../../support/upstreams/hurried-clock.ts';

const PAGE = '<html><body><p>A text that is long enough to be one.</p></body></html>';

test('a page whose time is up is given up, and its thread is ended', async () => {
  // Five seconds pass in five milliseconds: no thread starts in that time.
  const extractor = new PageExtractor(hurriedClock(1_000));
  const made = await extractor.extract(PAGE, 'https://example.org/');
  expect(made).toMatchObject({
    fault: 'upstream_bad_payload',
    why: expect.stringContaining('long'),
  });
});

test('more pages at once than allowed are refused, and the others are read', async () => {
  const extractor = new PageExtractor(realClock);
  const pages = Array.from({ length: EXTRACT_THREADS_MAX + 1 }, () =>
    extractor.extract(PAGE, 'https://example.org/'),
  );
  const made = await Promise.all(pages);
  expect(made.map((one) => ('fault' in one ? one.fault : one.value.text.length > 0))).toEqual([
    ...Array.from({ length: EXTRACT_THREADS_MAX }, () => true),
    'upstream_unavailable',
  ]);
});

test('depth and number of elements are bounded, and ordinary pages are within', async () => {
  const nested = (depth: number) => `${'<div>'.repeat(depth)}x${'</div>'.repeat(depth)}`;
  expect(await checkPageSize(nested(DEPTH_MAX))).toBeUndefined();
  expect(await checkPageSize(nested(DEPTH_MAX + 1))).toBe('too_deep');
  expect(await checkPageSize('<br>'.repeat(ELEMENTS_MAX))).toBeUndefined();
  expect(await checkPageSize('<br>'.repeat(ELEMENTS_MAX + 1))).toBe('too_large');
});
