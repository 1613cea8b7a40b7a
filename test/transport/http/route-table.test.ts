import { expect, test } from 'vitest';
import type { HttpRoute } from '../../../src/transport/http/host.ts';
import { RouteTable } from '../../../src/transport/http/route-table.ts';

const route = (path: string, more: Partial<HttpRoute> = {}): HttpRoute => ({
  methods: ['GET'],
  path,
  handle: () => undefined,
  ...more,
});
const TABLE = new RouteTable([
  route('/mcp'),
  route('/v2/'),
  route('/console'),
  route('/console/', { isPrefix: true }),
  route('/jobs', { methods: ['POST'] }),
  route('/jobs'),
  route('/jobs/', { isPrefix: true, suffix: '/release' }),
]);
const found = (path: string) => TABLE.find(path).map(({ path: at, methods }) => [at, methods[0]]);

test.each([
  ['/mcp', [['/mcp', 'GET']]],
  ['/mcp/', [['/mcp', 'GET']]],
  ['/v2/', [['/v2/', 'GET']]],
  ['/v2', [['/v2/', 'GET']]],
  ['/v2//', []],
  ['/mcp/x', []],
  ['/console', [['/console', 'GET']]],
  ['/console/', [['/console/', 'GET']]],
  ['/console/a', [['/console/', 'GET']]],
  [
    '/jobs/',
    [
      ['/jobs', 'POST'],
      ['/jobs', 'GET'],
    ],
  ],
  ['/jobs/1/release', [['/jobs/', 'GET']]],
  ['/jobs/1', []],
  ['/', []],
  ['', []],
])('%s is served by %j', (path, wanted) => {
  expect(found(path)).toEqual(wanted);
});
