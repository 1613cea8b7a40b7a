import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEgress, type Egress } from '../../../src/providers/net/egress.ts';
import { ADDRESS_READERS } from '../../support/attacks/address-readers.ts';
import { httpLoopback, type Loopback } from '../../support/loopback.ts';
import { realClock } from '../../support/real-clock.ts';

/** How every reader says that it did not ask. */
const REFUSED = ['ssrf_blocked', 'unsupported_scheme', 'EGRESS_BLOCKED'];
const NAMES: Readonly<Record<string, string[]>> = {
  'inside.test': ['127.0.0.1'],
  'mixed.test': ['93.184.215.14', '127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
};

/** Ways to write an address that leads inside; the port is that of the secret server. */
const ATTACKS: Readonly<Record<string, (port: number) => string>> = {
  plain: (port) => `http://127.0.0.1:${port}/`,
  'another of the same net': (port) => `http://127.9.8.7:${port}/`,
  'hexadecimal with few parts': (port) => `http://0x7f.1:${port}/`,
  'one number': (port) => `http://2130706433:${port}/`,
  octal: (port) => `http://0177.0.0.1:${port}/`,
  'short, on an open port': () => 'http://127.1:8080/',
  'digits of another script': (port) => `http://①②⑦.⓪.⓪.①:${port}/`,
  'percent signs': (port) => `http://%31%32%37.0.0.1:${port}/`,
  zero: (port) => `http://0:${port}/`,
  'version six': (port) => `http://[::1]:${port}/`,
  'version four in six': (port) => `http://[::ffff:127.0.0.1]:${port}/`,
  'translated to six': (port) => `http://[64:ff9b::7f00:1]:${port}/`,
  'metadata of a cloud': () => 'http://169.254.169.254/latest/meta-data/',
  'a private net': () => 'http://192.168.0.1/',
  'the local name': () => 'http://localhost:8080/',
  'a name that leads inside': () => 'http://inside.test:8080/',
  'a name with one private address': () => 'http://mixed.test:8080/',
  'a name with a mapped address': () => 'http://mapped.test:8080/',
  'a name with a dot at its end': () => 'http://inside.test.:8080/',
  'a host before an at sign': (port) => `http://example.com@127.0.0.1:${port}/`,
  'a backslash before an at sign': (port) => `http://127.0.0.1:${port}\\@example.com/`,
  'a line break in the host': (port) => `http://127.0.\n0.1:${port}/`,
  'the scheme of files': () => 'file:///etc/passwd',
  'the scheme of an old protocol': (port) => `gopher://127.0.0.1:${port}/_GET`,
  'the scheme of data': () => 'data:text/html,<p>secret</p>',
};

let secret: Loopback;
let door: Loopback;
let egress: Egress;
/** Where the door sends everybody on to. */
let beyond = '';
let doorStatus = 302;

beforeAll(async () => {
  secret = await httpLoopback((_, response) => response.end('secret'));
  door = await httpLoopback((request, response) => {
    if (request.url?.endsWith('/robots.txt') === true) response.writeHead(404).end();
    else response.writeHead(doorStatus, { location: beyond }).end();
  });
});
beforeEach(() => {
  const dns = resolve;
  const allowHosts = [door.host];
  egress = createEgress({ clock: realClock, userAgent: 'stoa/test', dns, allowHosts });
});
afterEach(() => egress.close());
afterAll(async () => {
  await secret.close();
  await door.close();
});

async function resolve(host: string): Promise<string[]> {
  return NAMES[host.replace(/\.$/, '')] ?? ['127.0.0.1'];
}

const READERS = Object.entries(ADDRESS_READERS);

test.each(Object.entries(ATTACKS))('%s is asked by no reader', async (_, attack) => {
  const url = attack(secret.port);
  const told = await Promise.all(
    READERS.map(async ([name, read]) => [name, await read(url, { egress, resolve })] as const),
  );
  for (const [name, code] of told) expect(REFUSED, `${name} of ${url}: ${code}`).toContain(code);
  expect(secret.hits).toEqual([]);
});

// A target's own client is on no allowed host of this test; it follows no redirect at all.
const FOLLOWING = READERS.filter(([name]) => name !== 'target');

/** Readers that follow no redirect, and what they say to one that could be followed. */
const NOT_FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  upstream: ['too_many_redirects'],
  question: ['too_many_redirects'],
  price: ['too_many_redirects'],
  webhook: ['EGRESS_FAILED'],
};

test('an address that may be asked is asked by every reader', async () => {
  doorStatus = 200;
  for (const [name, read] of FOLLOWING) {
    door.hits.length = 0;
    const code = await read(`${door.url}/`, { egress, resolve });
    expect(REFUSED, name).not.toContain(code);
    expect(door.hits.length, name).toBeGreaterThan(0);
  }
});

test.each([301, 302, 303, 307, 308])('no reader is led inside by a %i', async (status) => {
  doorStatus = status;
  for (const attack of Object.values(ATTACKS)) {
    beyond = encodeURI(attack(secret.port));
    const told = await Promise.all(
      FOLLOWING.map(async ([name, read]) => [
        name,
        await read(`${door.url}/`, { egress, resolve }),
      ]),
    );
    for (const [name, code] of told) {
      const wanted = [...REFUSED, ...(NOT_FOLLOWING[name ?? ''] ?? [])];
      expect(wanted, `${name} on to ${beyond}: ${code}`).toContain(code);
    }
  }
  expect(secret.hits).toEqual([]);
});
