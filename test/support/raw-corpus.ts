const HOST = 'Host: 127.0.0.1\r\n';
const post = (headers: string, body: string): string =>
  `POST /echo HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const chunked = (body: string): string => post('Transfer-Encoding: chunked\r\n', body);
const SMUGGLED = `GET /secret HTTP/1.1\r\n${HOST}\r\n`;

/** A raw request that two readers could understand differently. */
export interface RawCase {
  readonly name: string;
  readonly parts: readonly string[];
  /** How many answers an honest reading gives at most, and how many of them may be 200. */
  readonly answersMax: number;
  readonly okMax: number;
}

const refused = (name: string, ...parts: string[]): RawCase => ({
  name,
  parts,
  answersMax: 1,
  okMax: 0,
});
const served = (name: string, ok: number, ...parts: string[]): RawCase => ({
  name,
  parts,
  answersMax: ok,
  okMax: ok,
});

/** Requests without an agreed meaning: refused or dropped, and nothing behind them is answered. */
export const REFUSED: readonly RawCase[] = [
  refused(
    'two equal lengths',
    post('Content-Length: 5\r\nContent-Length: 5\r\n', `hello${SMUGGLED}`),
  ),
  refused('two lengths', post('Content-Length: 5\r\nContent-Length: 0\r\n', `hello${SMUGGLED}`)),
  refused('a list of lengths', post('Content-Length: 5, 5\r\n', `hello${SMUGGLED}`)),
  refused('a signed length', post('Content-Length: +5\r\n', `hello${SMUGGLED}`)),
  refused('a negative length', post('Content-Length: -5\r\n', `hello${SMUGGLED}`)),
  refused('a hexadecimal length', post('Content-Length: 0x5\r\n', `hello${SMUGGLED}`)),
  refused('a blank length', post('Content-Length: \r\n', SMUGGLED)),
  refused('a huge length', post('Content-Length: 99999999999999999999\r\n', 'x')),
  refused(
    'length and chunks',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'chunks and length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'chunks twice',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'an encoding before chunks',
    post('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused('an unknown encoding', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${SMUGGLED}`)),
  refused('identity as encoding', post('Transfer-Encoding: identity\r\n', SMUGGLED)),
  refused(
    'a space before the colon',
    post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused('a folded header', post('X-A: 1\r\n Content-Length: 5\r\n', SMUGGLED)),
  refused('a folded encoding', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${SMUGGLED}`)),
  refused(
    'a bad chunk size',
    post('Transfer-Encoding: chunked\r\n', `zz\r\nhello\r\n0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'a signed chunk size',
    post('Transfer-Encoding: chunked\r\n', `+5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'a chunk size that wraps',
    post('Transfer-Encoding: chunked\r\n', `10000000000000005\r\nhello\r\n0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'a chunk without its end',
    post('Transfer-Encoding: chunked\r\n', `5\r\nhelloXX0\r\n\r\n${SMUGGLED}`),
  ),
  refused('line feeds only', `GET /echo HTTP/1.1\nHost: 127.0.0.1\n\n`),
  refused('a line feed inside the head', `GET /echo HTTP/1.1\r\nHost: 127.0.0.1\nX-A: 1\r\n\r\n`),
  refused('a bare carriage return', `GET /echo HTTP/1.1\r\n${HOST}X-A: 1\rX-B: 2\r\n\r\n`),
  refused('a zero byte', `GET /echo HTTP/1.1\r\n${HOST}X-A: a\0b\r\n\r\n`),
  refused('a zero byte in the target', `GET /ec\0ho HTTP/1.1\r\n${HOST}\r\n`),
  refused('an absolute target', `GET http://elsewhere/echo HTTP/1.1\r\n${HOST}\r\n`),
  refused('an authority target', `CONNECT elsewhere:443 HTTP/1.1\r\n${HOST}\r\n`),
  refused('an asterisk target', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`),
  refused('no host', 'GET /echo HTTP/1.1\r\nX-A: 1\r\n\r\n'),
  refused('two hosts', `GET /echo HTTP/1.1\r\n${HOST}Host: elsewhere\r\n\r\n`),
  refused('an unknown method', `BREW /echo HTTP/1.1\r\n${HOST}\r\n`),
  refused('a method in small letters', `get /echo HTTP/1.1\r\n${HOST}\r\n`),
  refused('a name with a space', `GET /echo HTTP/1.1\r\n${HOST}X A: 1\r\n\r\n`),
  refused('a header without a colon', `GET /echo HTTP/1.1\r\n${HOST}nothing\r\n\r\n`),
  refused('an empty name', `GET /echo HTTP/1.1\r\n${HOST}: 1\r\n\r\n`),
  refused('a future version', `GET /echo HTTP/2.0\r\n${HOST}\r\n`),
  refused('no version', `GET /echo\r\n${HOST}\r\n`),
  refused('a huge head', `GET /echo HTTP/1.1\r\n${HOST}X-A: ${'a'.repeat(40_000)}\r\n\r\n`),
  refused('too many headers', `GET /echo HTTP/1.1\r\n${HOST}${'X-A: 1\r\n'.repeat(400)}\r\n`),
  refused('bytes above ASCII', `GET /echo HTTP/1.1\r\n${HOST}X-A: \xe9\r\n\r\n`),
  refused('a post without a length', post('', SMUGGLED)),
  refused(
    'a request behind a refused one',
    `POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc${SMUGGLED}`,
  ),
  refused('a line feed in a chunk extension', chunked(`5;a\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('a line feed that hides a chunk', chunked(`5;\nxx\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused(
    'a huge chunk extension',
    chunked(`5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n${SMUGGLED}`),
  ),
  refused('a space behind a chunk size', chunked(`5 \r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('a prefixed chunk size', chunked(`0x5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('an underscore in a chunk size', chunked(`0_5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('a chunk size that ends by line feed', chunked(`5\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('a chunk that ends by line feed', chunked(`5\r\nhello\n0\r\n\r\n${SMUGGLED}`)),
  refused('a chunk size that ends by return', chunked(`5\rhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('a last chunk without its end', chunked(`5\r\nhello\r\n0\r\n${SMUGGLED}`)),
  ...[
    'chunked,',
    '\x0bchunked',
    '"chunked"',
    'chunked;q=1',
    'chunked\0',
    'chunked chunked',
    'x, chunked',
    'chunked, identity',
  ].map((encoding) =>
    refused(
      `the encoding ${JSON.stringify(encoding)}`,
      post(`Transfer-Encoding: ${encoding}\r\n`, `0\r\n\r\n${SMUGGLED}`),
    ),
  ),
  ...['5 5', '1_0', '5.0', '5e0', '٥', '5;5', '\x0b5'].map((length) =>
    refused(
      `the length ${JSON.stringify(length)}`,
      post(`Content-Length: ${length}\r\n`, `hello${SMUGGLED}`),
    ),
  ),
  refused(
    'an encoding behind a bare line feed',
    post('Content-Length: 5\r\nX: y\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'a length behind a bare line feed',
    post('Transfer-Encoding: chunked\nContent-Length: 5\r\n', `0\r\n\r\n${SMUGGLED}`),
  ),
  refused(
    'chunks in version 1.0',
    `POST /echo HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`,
  ),
  refused('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('an unknown expectation', post('Expect: 200-maybe\r\nContent-Length: 5\r\n', 'hello')),
  refused('tabs in the request line', `GET\t/echo\tHTTP/1.1\r\n${HOST}\r\n`),
  refused('a space before the first header', `GET /echo HTTP/1.1\r\n X-A: 1\r\n${HOST}\r\n`),
  refused('a return before the colon', `GET /echo HTTP/1.1\r\n${HOST}X-A\r: 1\r\n\r\n`),
  refused('a target with a backslash', `GET \\echo HTTP/1.1\r\n${HOST}\r\n`),
  refused('an absolute target of our own', `GET http://127.0.0.1/echo HTTP/1.1\r\n${HOST}\r\n`),
  ...['http/1.1', 'HTTP/1.2', 'HTTP/1.10', 'HTTP/0.9', 'HTTP/1.1x', 'HTTP/11'].map((version) =>
    refused(`the version ${version}`, `GET /echo ${version}\r\n${HOST}\r\n`),
  ),
  refused('a space before a chunk size', chunked(` 5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused('an empty chunk size', chunked(`\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
  refused(
    'a length in a trailer',
    chunked(`5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n${SMUGGLED}`),
  ),
  refused('garbage', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n'),
];

/** Requests with one meaning, in unusual shapes: both engines serve them. */
export const SERVED: readonly RawCase[] = [
  served('two in a row', 2, `GET /echo HTTP/1.1\r\n${HOST}\r\nGET /echo HTTP/1.1\r\n${HOST}\r\n`),
  served('a head in pieces', 1, 'GET /ec', 'ho HTTP/1.1\r\nHo', `st: 127.0.0.1\r\n`, '\r\n'),
  served('chunks', 1, post('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n')),
  served(
    'chunks in pieces',
    1,
    post('Transfer-Encoding: chunked\r\n', '5\r'),
    '\nhel',
    'lo\r\n0\r\n',
    '\r\n',
  ),
  served(
    'a body and a request behind it',
    2,
    `${post('Content-Length: 5\r\n', 'hello')}GET /echo HTTP/1.1\r\n${HOST}\r\n`,
  ),
  served('version 1.0', 1, `GET /echo HTTP/1.0\r\n${HOST}\r\n`),
  served('chunks with a trailer', 1, chunked('5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n')),
  served('chunks with an extension', 1, chunked('5;a=b\r\nhello\r\n0\r\n\r\n')),
  served(
    'an encoding in capital letters',
    1,
    post('Transfer-Encoding:\tCHUNKED\r\n', '5\r\nhello\r\n0\r\n\r\n'),
  ),
  served(
    'a length with zeros before and a space behind',
    1,
    post('Content-Length: 05 \r\n', 'hello'),
  ),
  served(
    'a request in the body of a GET',
    1,
    `GET /echo HTTP/1.1\r\n${HOST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  ),
  served(
    'a request in the body of a HEAD',
    1,
    `HEAD /echo HTTP/1.1\r\n${HOST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
  ),
  served(
    'an upgrade that is ignored',
    1,
    `GET /echo HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  ),
  served('empty lines before the request', 1, `\r\n\r\nGET /echo HTTP/1.1\r\n${HOST}\r\n`),
  served('a large head', 1, `GET /echo HTTP/1.1\r\n${HOST}X-A: ${'a'.repeat(9_000)}\r\n\r\n`),
];

/**
 * Where the engines differ, and why that is borne. uWebSockets.js is listened to on a loopback
 * address
 * behind a proxy only, and a proxy sends none of these.
 */
export const ALLOWED: readonly (RawCase & { readonly engine: 'uws'; readonly why: string })[] = [
  {
    ...served('an empty name', 1, `GET /echo HTTP/1.1\r\n${HOST}: 1\r\n\r\n`),
    engine: 'uws',
    why: 'its parser takes a line without a name for the end of the head and does not show it',
  },
  {
    ...served('bytes above ASCII', 1, `GET /echo HTTP/1.1\r\n${HOST}X-A: \xe9\r\n\r\n`),
    engine: 'uws',
    why: 'it shows a value that is not UTF-8 as an empty one',
  },
  {
    ...served('a space before a chunk size', 1, chunked(` 5\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
    engine: 'uws',
    why: 'its parser is lax about chunks, which is why such a request is the last of its connection',
  },
  {
    ...served('an empty chunk size', 1, chunked(`\r\nhello\r\n0\r\n\r\n${SMUGGLED}`)),
    engine: 'uws',
    why: 'it takes it for zero; the request is the last of its connection',
  },
  {
    ...served(
      'a length in a trailer',
      1,
      chunked(`5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n${SMUGGLED}`),
    ),
    engine: 'uws',
    why: 'it reads no trailers; the request is the last of its connection',
  },
  {
    ...refused('chunks with an extension', chunked('5;a=b\r\nhello\r\n0\r\n\r\n')),
    engine: 'uws',
    why: 'it knows no extensions, stays silent and closes the connection',
  },
  {
    ...refused('empty lines before the request', `\r\n\r\nGET /echo HTTP/1.1\r\n${HOST}\r\n`),
    engine: 'uws',
    why: 'it begins with the request line, stays silent and closes the connection',
  },
  {
    ...refused('version 1.0', `GET /echo HTTP/1.0\r\n${HOST}\r\n`),
    engine: 'uws',
    why: 'it speaks 1.1 only, stays silent and closes the idle connection',
  },
];

/** Requests that stop half way: no answer that says fine. */
export const BROKEN_OFF: readonly RawCase[] = [
  refused('a body that ends early', post('Content-Length: 50\r\n', 'hello')),
  refused('a head that ends early', `GET /echo HTTP/1.1\r\n${HOST}`),
];

/** A request that no reader accepts, with the status that says so. */
export interface MalformedCase {
  readonly name: string;
  readonly part: string;
  readonly status: 400 | 431;
  /** What uWebSockets.js 20.30 does instead, as docs/decisions/transport.md lists it. */
  readonly uws?: 'closes at once' | 'closes when idle' | 'answers 404';
}

const manyHeaders = (count: number): string =>
  Array.from({ length: count }, (_, at) => `X-${at}: 1\r\n`).join('');

/** Requests whose sender must be told why nothing else came. */
export const MALFORMED: readonly MalformedCase[] = [
  {
    name: 'no host',
    part: 'GET /echo HTTP/1.1\r\nX-A: 1\r\n\r\n',
    status: 400,
    uws: 'closes at once',
  },
  { name: 'no header', part: 'GET /echo HTTP/1.1\r\n\r\n', status: 400, uws: 'closes when idle' },
  {
    name: 'no host in version 1.0',
    part: 'GET /echo HTTP/1.0\r\n\r\n',
    status: 400,
    uws: 'closes when idle',
  },
  { name: 'words', part: 'hello there\r\n\r\n', status: 400, uws: 'closes when idle' },
  {
    name: 'a TLS hello',
    part: '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\r\n\r\n',
    status: 400,
    uws: 'closes when idle',
  },
  {
    name: 'a request line without a version',
    part: `GET /echo\r\n${HOST}\r\n`,
    status: 400,
    uws: 'closes when idle',
  },
  {
    name: 'a request line without a target',
    part: `GET HTTP/1.1\r\n${HOST}\r\n`,
    status: 400,
    uws: 'closes when idle',
  },
  {
    name: 'a method in lower case',
    part: `get /echo HTTP/1.1\r\n${HOST}\r\n`,
    status: 400,
    uws: 'closes at once',
  },
  {
    name: 'a tunnel',
    part: `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`,
    status: 400,
    uws: 'closes when idle',
  },
  {
    name: 'a line without a colon',
    part: `GET /echo HTTP/1.1\r\n${HOST}X-A 1\r\n\r\n`,
    status: 400,
    uws: 'closes when idle',
  },
  {
    name: 'a space before a colon',
    part: `GET /echo HTTP/1.1\r\n${HOST}X-A : 1\r\n\r\n`,
    status: 400,
    uws: 'closes when idle',
  },
  {
    name: 'lines that end in LF',
    part: 'GET /echo HTTP/1.1\nHost: a\n\n',
    status: 400,
    uws: 'closes when idle',
  },
  {
    name: 'too many headers',
    part: `GET /echo HTTP/1.1\r\n${HOST}${manyHeaders(96)}\r\n`,
    status: 431,
    uws: 'closes when idle',
  },
  {
    name: 'a head over the limit',
    part: `GET /echo HTTP/1.1\r\n${HOST}${manyHeaders(2_500)}\r\n`,
    status: 431,
    uws: 'closes at once',
  },
  {
    name: 'a head over the limit that never ends',
    part: `GET /echo HTTP/1.1\r\n${HOST}X-A: ${'x'.repeat(20_000)}`,
    status: 431,
    uws: 'closes at once',
  },
  {
    name: 'a target over the limit',
    part: `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
    status: 431,
    uws: 'answers 404',
  },
];
