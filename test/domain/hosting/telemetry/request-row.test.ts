import { expect, test } from 'vitest';
import {
  parseRequestRow,
  toLogLine,
} from '../../../../src/domain/hosting/telemetry/request-row.ts';

const ROW = {
  at: 1_795_000_000_000,
  resource: 'srv-a',
  host: 'a.localhost',
  method: 'GET',
  path: '/users/17?token=secret#x',
  status: 503,
  ms: 12.5,
  bytes: 80,
};

test('a row becomes a line with its labels; the query of its address is left out', () => {
  const row = parseRequestRow(JSON.stringify({ ...ROW, instance: 'i-1', extra: 'unknown' }));
  expect(row).toBeDefined();
  if (row === undefined) return;
  const line = toLogLine(row, 99);
  expect(line).toEqual({
    end: 99,
    resource: 'srv-a',
    type: 'request',
    at: ROW.at,
    level: 'error',
    message: 'GET a.localhost/users/17 503 12.5 ms 80 B',
    instance: 'i-1',
    host: 'a.localhost',
    statusCode: '503',
    method: 'GET',
    path: '/users/17',
  });
  expect(JSON.stringify(line)).not.toContain('secret');
});

test('the level of a request is that of its status', () => {
  const levels = [200, 302, 404, 500].map((status) => toLogLine({ ...ROW, status }, 1).level);
  expect(levels).toEqual(['info', 'info', 'warning', 'error']);
});

test.each([
  '',
  'not json',
  '{"at":1',
  '[]',
  JSON.stringify({ ...ROW, status: 42 }),
  JSON.stringify({ ...ROW, bytes: -1 }),
  JSON.stringify({ ...ROW, ms: null }),
])('%j is no row', (text) => {
  expect(parseRequestRow(text)).toBeUndefined();
});
