import { describe, expect, test } from 'vitest';
import { Authority, type AuthorityRules } from '../../../src/transport/http/authority.ts';
import { readAuthoritySettings } from '../../../src/transport/http/authority-settings.ts';
import type { HttpRequest } from '../../../src/transport/http/host.ts';

const PORT = 8402;

function authority(rules: Partial<AuthorityRules> = {}, port = PORT): Authority {
  const made = new Authority({
    bindHost: '127.0.0.1',
    allowedHosts: [],
    allowedOrigins: [],
    ...rules,
  });
  made.startAdmitting(port);
  return made;
}

function request(headers: Readonly<Record<string, string>>): HttpRequest {
  return {
    method: 'GET',
    path: '/',
    query: '',
    peerAddress: '',
    remoteAddress: '',
    headers: Object.entries(headers).flat(),
  };
}

function statusOf(made: Authority, host: string, origin?: string): number {
  const headers = { host, ...(origin === undefined ? {} : { origin }) };
  return made.check(request(headers))?.status ?? 200;
}

const OWN = ['127.0.0.1:8402', 'localhost:8402', '[::1]:8402', 'LOCALHOST:8402', 'localhost'];
/** Each names this machine for some reader of addresses, and is no name of this server. */
const STRANGE = [
  'localhost:8403',
  'localhost:08402',
  'localhost:',
  'localhost:8402:8402',
  'localhost.:8402',
  'localhost.',
  'localhost:8402.',
  'a@localhost:8402',
  'localhost:8402@evil.example',
  'localhost:8402, evil.example',
  'localhost:8402/',
  ' localhost:8402',
  '127.1:8402',
  '0x7f.0.0.1:8402',
  '2130706433:8402',
  '127.0.0.1.:8402',
  '127.0.0.1:8402.evil.example',
  '127.0.0.1.evil.example:8402',
  '127.0.0.2:8402',
  '0.0.0.0:8402',
  '::1:8402',
  '[::1',
  '[0:0:0:0:0:0:0:1]:8402',
  '[::ffff:127.0.0.1]:8402',
  '[::1%25lo]:8402',
  '192.0.2.1:8402',
  'evil.example:8402',
  '',
];

describe('a server on loopback', () => {
  test.each(OWN)('is asked at %s', (host) => {
    expect(statusOf(authority(), host)).toBe(200);
  });

  test.each(STRANGE)('is not asked at %j', (host) => {
    const made = authority();
    expect(statusOf(made, host)).toBe(403);
    // What was admitted before changes nothing.
    expect(statusOf(made, '127.0.0.1:8402')).toBe(200);
    expect(statusOf(made, host)).toBe(403);
  });

  test.each([
    ...['http://localhost:3000', 'http://localhost', 'https://localhost:8402', 'null', ''],
    ...['http://127.0.0.1:8402/', 'http://127.0.0.1:8402.evil.example', 'http://a@127.0.0.1:8402'],
    ...['HTTP://127.0.0.1:8402', 'http://LOCALHOST:8402', 'http://localhost.:8402', 'file://'],
    ...['http://127.0.0.1:8403', 'ws://127.0.0.1:8402', 'http://[::1]', 'http://127.1:8402'],
    ...['http://127.0.0.1:8402 http://evil.example', 'http://192.0.2.1:8402'],
  ])('is not read by the page of %j', (origin) => {
    const made = authority();
    expect(statusOf(made, '127.0.0.1:8402', origin)).toBe(403);
    expect(made.replyHeaders(request({ host: '127.0.0.1:8402', origin }))).not.toContain(origin);
    expect(made.isOwnPage(request({ host: '127.0.0.1:8402', origin }))).toBe(false);
  });

  test('is read by its own pages, under the name that they were opened by or another', () => {
    const made = authority();
    for (const origin of ['http://127.0.0.1:8402', 'http://localhost:8402', 'http://[::1]:8402']) {
      expect(statusOf(made, '127.0.0.1:8402', origin)).toBe(200);
      expect(made.replyHeaders(request({ origin }))).toContain(origin);
    }
    const page = { host: 'localhost:8402', origin: 'http://localhost:8402' };
    expect(made.isOwnPage(request(page))).toBe(true);
    expect(made.isOwnPage(request({ ...page, host: '127.0.0.1:8402' }))).toBe(false);
  });

  test('leaves its port out where it is that of the scheme', () => {
    const made = authority({}, 80);
    expect(statusOf(made, 'localhost', 'http://localhost')).toBe(200);
    expect(made.isOwnPage(request({ host: 'localhost', origin: 'http://localhost' }))).toBe(true);
    expect(statusOf(made, 'localhost', 'http://localhost:80')).toBe(403);
  });
});

test('before it listens nobody is admitted', () => {
  const rules = { bindHost: '127.0.0.1', allowedHosts: [], allowedOrigins: [] };
  expect(statusOf(new Authority(rules), 'localhost')).toBe(403);
});

test('a public address is one scheme, host and port', () => {
  const made = authority({ publicUrl: 'https://stoa.example' });
  const hosts = ['stoa.example', 'Stoa.Example', 'stoa.example:443', 'localhost:8402'];
  for (const host of hosts) expect(statusOf(made, host)).toBe(200);
  for (const host of ['stoa.example:8402', 'stoa.example:80', 'stoa.example.', 'x.stoa.example']) {
    expect(statusOf(made, host)).toBe(403);
  }
  const page = (host: string, origin: string) => made.isOwnPage(request({ host, origin }));
  expect(page('stoa.example', 'https://stoa.example')).toBe(true);
  // A proxy on this machine may ask by its own name.
  expect(page('127.0.0.1:8402', 'https://stoa.example')).toBe(true);
  for (const origin of ['http://stoa.example', 'https://stoa.example:8443', 'https://a.example']) {
    expect(page('stoa.example', origin)).toBe(false);
    expect(statusOf(made, 'stoa.example', origin)).toBe(403);
  }
});

test('a server for others is reached by number, at its port', () => {
  for (const bindHost of ['0.0.0.0', '::', '192.0.2.7']) {
    const made = authority({ bindHost });
    for (const host of ['192.0.2.7:8402', '[2001:db8::7]:8402', '192.0.2.7']) {
      expect(statusOf(made, host)).toBe(200);
    }
    const strange = ['192.0.2.7:80', '[2001:db8::7]:80', '2001:db8::7', '192.0.2:8402', '[::1%lo]'];
    for (const host of strange) expect(statusOf(made, host)).toBe(403);
    const own = { host: '192.0.2.7:8402', origin: 'http://192.0.2.7:8402' };
    expect(made.isOwnPage(request(own))).toBe(true);
    expect(statusOf(made, own.host, 'http://192.0.2.7:3000')).toBe(403);
    expect(statusOf(made, own.host, 'https://192.0.2.7:8402')).toBe(403);
  }
});

test('listed pages may read and are no pages of the server', () => {
  const listed = { STOA_ALLOWED_ORIGINS: 'http://localhost:6274, https://Console.Example' };
  const made = authority(
    readAuthoritySettings({ ...listed, STOA_ALLOWED_HOSTS: 'localhost:9000' }),
  );
  for (const origin of ['http://localhost:6274', 'https://console.example']) {
    expect(statusOf(made, '127.0.0.1:8402', origin)).toBe(200);
    expect(made.isOwnPage(request({ host: '127.0.0.1:8402', origin }))).toBe(false);
  }
  expect(statusOf(made, 'localhost:9000', 'http://localhost:9000')).toBe(200);
  expect(statusOf(made, 'localhost:9001')).toBe(403);
});

test.each([
  ['STOA_ALLOWED_ORIGINS', '*'],
  ['STOA_ALLOWED_ORIGINS', 'null'],
  ['STOA_ALLOWED_ORIGINS', 'https://a.example/'],
  ['STOA_ALLOWED_ORIGINS', 'https://a.example:443'],
  ['STOA_ALLOWED_ORIGINS', 'a.example'],
  ['STOA_ALLOWED_ORIGINS', 'https://a.example,'],
  ['STOA_ALLOWED_HOSTS', '*.example'],
  ['STOA_ALLOWED_HOSTS', 'http://a.example'],
  ['STOA_ALLOWED_HOSTS', 'a.example:80'],
  ['STOA_ALLOWED_HOSTS', 'a b'],
  ['STOA_ALLOWED_HOSTS', 'x@a.example'],
])('%s refuses %j and says what it takes', (name, value) => {
  expect(() => readAuthoritySettings({ [name]: value })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(name) }),
  );
});
