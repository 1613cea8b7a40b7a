import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FIELDS_MAX } from '../../src/router/fields.ts';
import { forwardRequest, forwardResponse } from '../../src/router/forward.ts';
import { parseRequestHead, parseResponseHead, type RequestHead } from '../../src/router/head.ts';

function request(...lines: readonly string[]) {
  return parseRequestHead(lines.join('\r\n'));
}

function taken(...lines: readonly string[]): RequestHead {
  const head = request(...lines);
  if ('why' in head) throw new Error(head.why);
  return head;
}

describe('a request that two readers could take differently is refused', () => {
  test.each([
    ['no version', 'GET /'],
    ['two spaces', 'GET  / HTTP/1.1'],
    ['another version', 'GET / HTTP/2.0'],
    ['a tab in the line', 'GET\t/ HTTP/1.1'],
    ['a bare line feed', 'GET / HTTP/1.1\nX: y'],
    ['a whole address', 'GET http://other/ HTTP/1.1'],
    ['no path', 'GET other HTTP/1.1'],
    ['a star that is not for OPTIONS', 'GET * HTTP/1.1'],
    ['letters beyond ASCII', 'GET /\u00e9 HTTP/1.1'],
  ])('%s', (_, line) => {
    expect(request(line, 'Host: a.localhost')).toMatchObject({ status: 400 });
  });

  test.each([
    ['a space before the colon', 'X : y'],
    ['a folded line', ' folded'],
    ['a bare carriage return', 'X: y\rZ: w'],
    ['a bare line feed', 'X: y\nZ: w'],
    ['a null', 'X: y\0'],
    ['no colon', 'X'],
    ['no name', ': y'],
    ['length twice', 'Content-Length: 1\r\nContent-Length: 1'],
    ['a list of lengths', 'Content-Length: 1, 1'],
    ['a signed length', 'Content-Length: +1'],
    ['a length in hex', 'Content-Length: 0x1'],
    ['length and coding', 'Content-Length: 1\r\nTransfer-Encoding: chunked'],
    ['coding twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
    ['a second host', 'Host: b.localhost'],
    ['a hop that is the length', 'Connection: content-length\r\nContent-Length: 3'],
    ['a hop that is the host', 'Connection: close, Host'],
    ['a change of protocol with a body', 'Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 3'],
  ])('%s', (_, line) => {
    expect(request('POST / HTTP/1.1', 'Host: a.localhost', line)).toMatchObject({ status: 400 });
  });

  test.each([
    'xchunked',
    'chunked, identity',
    'gzip, chunked',
    'chunked;x',
    '"chunked"',
    'chunked\u00a0',
  ])('the coding %s', (coding) => {
    const head = request('POST / HTTP/1.1', 'Host: a', `Transfer-Encoding: ${coding}`);
    expect(head).toMatchObject({ status: 501 });
  });

  test('no host, a host with a path, and a host with a user', () => {
    expect(request('GET / HTTP/1.1')).toMatchObject({ status: 400 });
    for (const host of ['a/b', 'u@a', 'a b', 'a:b', 'a:', '']) {
      expect(request('GET / HTTP/1.1', `Host: ${host}`), host).toMatchObject({ status: 400 });
    }
  });

  test('coding in HTTP/1.0, CONNECT, too many fields, and a long address', () => {
    const old = request('POST / HTTP/1.0', 'Host: a', 'Transfer-Encoding: chunked');
    expect(old).toMatchObject({ status: 400 });
    expect(request('CONNECT a:1 HTTP/1.1', 'Host: a')).toMatchObject({ status: 405 });
    const many = Array.from({ length: FIELDS_MAX }, (_, index) => `X-${index}: y`);
    expect(request('GET / HTTP/1.1', 'Host: a', ...many)).toMatchObject({ status: 431 });
    expect(request(`GET /${'a'.repeat(9_000)} HTTP/1.1`, 'Host: a')).toMatchObject({ status: 414 });
  });
});

test('host, framing and persistence are read as the standard says', () => {
  expect(taken('GET /a?b HTTP/1.1', 'hOsT:  Web.Localhost:8480 ')).toMatchObject({
    method: 'GET',
    target: '/a?b',
    host: 'web.localhost',
    authority: 'web.localhost:8480',
    framing: { kind: 'none' },
    keepsAlive: true,
  });
  expect(taken('POST / HTTP/1.1', 'Host: a', 'Content-Length: 12').framing).toEqual({
    kind: 'length',
    bytes: 12,
  });
  expect(taken('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: Chunked').framing).toEqual({
    kind: 'chunked',
  });
  expect(taken('GET / HTTP/1.1', 'Host: a', 'Connection: Close').keepsAlive).toBe(false);
  expect(taken('GET / HTTP/1.0', 'Host: a').keepsAlive).toBe(false);
  expect(taken('GET / HTTP/1.0', 'Host: a', 'Connection: keep-alive').keepsAlive).toBe(true);
});

test.each([
  ['GET', 200, ['Content-Length: 5'], { kind: 'length', bytes: 5 }],
  ['GET', 200, ['Content-Length: 0'], { kind: 'none' }],
  ['GET', 200, ['Transfer-Encoding: chunked'], { kind: 'chunked' }],
  ['GET', 200, [], { kind: 'close' }],
  ['HEAD', 200, ['Content-Length: 5'], { kind: 'none' }],
  ['GET', 204, [], { kind: 'none' }],
  ['GET', 304, ['Content-Length: 5'], { kind: 'none' }],
  ['GET', 101, [], { kind: 'none' }],
])(
  'the answer to %s with status %i and %j ends where it must',
  (method, status, fields, framing) => {
    const head = parseResponseHead([`HTTP/1.1 ${status} X`, ...fields].join('\r\n'), method);
    expect(head).toMatchObject({ status, framing });
  },
);

test.each([
  'HTTP/1.1 99 X',
  'HTTP/1.1 1e2 X',
  'HTTP/1.1 2000 X',
  'HTTP/1.1 200 X\r\nContent-Length: 1\r\nContent-Length: 2',
  'HTTP/1.1 200 X\r\nContent-Length: 1\r\nTransfer-Encoding: chunked',
  'HTTP/1.1 200 X\r\nBad Name: x',
  'HTTP/1.1 200 X\r\n folded',
  'ICY 200 OK',
])('the answer %j is refused', (text) => {
  expect(parseResponseHead(text, 'GET')).toHaveProperty('why');
});

test('what a caller says about itself is replaced, and what ends at a hop is dropped', () => {
  const text = forwardRequest(
    taken(
      'GET /x HTTP/1.1',
      'Host: a.localhost:1',
      'X-Forwarded-For: 1.2.3.4',
      'Forwarded: for=1.2.3.4',
      'Connection: X-Own, keep-alive',
      'X-Own: 1',
      'TE: trailers',
      'Proxy-Authorization: x',
      'Cookie: c',
    ),
    '127.0.0.1',
  );
  expect(text.split('\r\n')).toEqual([
    'GET /x HTTP/1.1',
    'Host: a.localhost:1',
    'Cookie: c',
    'X-Forwarded-For: 127.0.0.1',
    'X-Forwarded-Host: a.localhost:1',
    'X-Forwarded-Proto: http',
    '',
    '',
  ]);
});

test('the client is told what becomes of its own connection, not of the instance’s', () => {
  const head = parseResponseHead(
    'HTTP/1.1 200 OK\r\nConnection: close\r\nX: y\r\nContent-Length: 1',
    'GET',
  );
  if ('why' in head) throw new Error(head.why);
  expect(head.keepsAlive).toBe(false);
  expect(forwardResponse(head, { keepsAlive: true }).split('\r\n')).toEqual([
    'HTTP/1.1 200 OK',
    'X: y',
    'Content-Length: 1',
    'Connection: keep-alive',
    '',
    '',
  ]);
});

test('a head that was taken means the same after it was forwarded', () => {
  const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/);
  const value = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,20}[\x21-\x7e])?$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), (fields) => {
      const lines = fields.map(([field, said]) => `${field}: ${said}`);
      const head = request('GET /p HTTP/1.1', 'Host: a.localhost', ...lines);
      if ('why' in head) return;
      const again = parseRequestHead(forwardRequest(head, '127.0.0.1').slice(0, -4));
      expect(again).toMatchObject({ host: head.host, framing: head.framing, target: '/p' });
    }),
  );
});
