import { expect, test } from 'vitest';
import {
  limitValues,
  normalizePath,
  OTHER_VALUES,
} from '../../../../src/domain/hosting/telemetry/request-path.ts';

test.each([
  ['/users/17?tab=2', '/users/:id'],
  ['/users/550e8400-e29b-41d4-a716-446655440000/posts', '/users/:id/posts'],
  ['/commit/9fceb02d0ae598e95dc970b74767f19372d61af8', '/commit/:id'],
  ['/s/dBjftJeZ4CVP-mB92K27u', '/s/:id'],
  ['/assets/application.css', '/assets/application.css'],
  ['/deadbeef', '/deadbeef'],
  ['/api/v1/health#top', '/api/v1/health'],
  ['', '/'],
  ['?x=1', '/'],
])('%s has the shape %s', (path, shape) => {
  expect(normalizePath(path)).toBe(shape);
});

test('a shape is short, however long the path', () => {
  expect(normalizePath(`/${'long-name/'.repeat(10_000)}`).length).toBeLessThanOrEqual(120);
});

test('beyond the bound values become one, those known before stay', () => {
  const known = new Set<string>();
  expect(['a', 'b', 'c', 'a', 'd'].map((value) => limitValues(known, value, 2))).toEqual([
    'a',
    'b',
    OTHER_VALUES,
    'a',
    OTHER_VALUES,
  ]);
});
