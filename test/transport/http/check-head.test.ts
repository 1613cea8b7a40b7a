import { expect, test } from 'vitest';
import { checkHead } from '../../../src/transport/http/check-head.ts';

test('a plain head passes, with names that are usual and names that are not', () => {
  expect(vet('accept', '*/*', 'user-agent', 'x', 'x-own.name', 'y')).toBeUndefined();
});

test.each(['X-Upper', 'with space', 'colon:', 'brace{', '', 'acce\u0000pt', 'häder'])(
  'the name %j is refused',
  (name) => {
    expect(vet('accept', '*/*', name, 'v')).toEqual({ status: 400, reason: 'bad header' });
  },
);

test('a value is looked at under a usual name too', () => {
  for (const name of ['accept', 'user-agent', 'host', 'x-own']) {
    expect(vet(name, 'a\u0000b')).toEqual({ status: 400, reason: 'bad header' });
  }
});

test.each([
  'authorization',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'origin',
  'transfer-encoding',
])('a second %s is refused', (name) => {
  const rest = name === 'host' ? [] : [name, '1'];
  expect(vet(...rest, name, '1')).toEqual({ status: 400, reason: `repeated ${name}` });
});

test('other usual headers may come twice', () => {
  expect(vet('accept', 'a/b', 'accept', 'c/d')).toBeUndefined();
});

function vet(...headers: string[]) {
  return checkHead({
    method: 'GET',
    path: '/',
    query: '',
    peerAddress: '127.0.0.1',
    remoteAddress: '127.0.0.1',
    headers: ['host', 'localhost', ...headers],
  });
}
