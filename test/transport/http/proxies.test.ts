import { expect, test } from 'vitest';
import type { HttpRequest } from '../../../src/transport/http/host.ts';
import { createProxyResolver } from '../../../src/transport/http/proxies.ts';

const FORWARDED = ['x-forwarded-for', '198.51.100.7, 203.0.113.9, 10.0.0.5'];

test('nobody is believed when no proxy is listed', () => {
  expect(createProxyResolver([]).addressOf('127.0.0.1', FORWARDED)).toBe('127.0.0.1');
});

test('behind listed proxies the client is the last address that is none of them', () => {
  const proxies = createProxyResolver(['127.0.0.1', '10.0.0.0/8']);
  expect(proxies.addressOf('127.0.0.1', FORWARDED)).toBe('203.0.113.9');
  expect(proxies.addressOf('::ffff:10.1.2.3', FORWARDED)).toBe('203.0.113.9');
});

test('a header from elsewhere changes nothing', () => {
  const proxies = createProxyResolver(['10.0.0.0/8']);
  expect(proxies.addressOf('203.0.113.50', FORWARDED)).toBe('203.0.113.50');
});

test('several header lines are read as one, in order', () => {
  const proxies = createProxyResolver(['127.0.0.1']);
  const headers = ['x-forwarded-for', '198.51.100.7', 'x-forwarded-for', '203.0.113.9'];
  expect(proxies.addressOf('127.0.0.1', headers)).toBe('203.0.113.9');
});

test('a listed proxy that names nobody is itself the client', () => {
  expect(createProxyResolver(['127.0.0.1']).addressOf('127.0.0.1', [])).toBe('127.0.0.1');
});

test('an unlisted peer that claims to forward is found out', () => {
  const request = (peerAddress: string, headers: string[]): HttpRequest => ({
    method: 'GET',
    path: '/',
    query: '',
    peerAddress,
    remoteAddress: peerAddress,
    headers,
  });
  const proxies = createProxyResolver(['10.0.0.1']);
  expect(proxies.isForged(request('127.0.0.1', FORWARDED))).toBe(true);
  expect(proxies.isForged(request('127.0.0.1', ['forwarded', 'for=1.2.3.4']))).toBe(true);
  expect(proxies.isForged(request('10.0.0.1', FORWARDED))).toBe(false);
  expect(proxies.isForged(request('127.0.0.1', ['x-note', 'x-forwarded-for']))).toBe(false);
});
