import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpEngine } from '../../../src/transport/http/host.ts';
import { type ConsoleRig, startConsole } from '../../support/console-rig.ts';
import { ENGINES } from '../../support/engines.ts';
import { sendRaw } from '../../support/raw-http.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";
const SCRIPT = 'console.log(1);'.repeat(50);

const root = mkdtempSync(join(tmpdir(), 'stoa-page-'));
const folder = join(root, 'web');
const rigs = new Map<HttpEngine, ConsoleRig>();

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.json'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<!doctype html>the page');
  writeFileSync(join(folder, 'assets', 'main-AbCd1234.js'), SCRIPT);
  writeFileSync(join(folder, 'assets', 'main-AbCd1234.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'main-AbCd1234.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'chart.svg'), '<svg/>');
  symlinkSync(join(root, 'secret.json'), join(folder, 'linked.json'));
  symlinkSync(root, join(folder, 'outside'));
  writeFileSync(join(folder, 'late.json'), '{}');
  for (const engine of ENGINES) rigs.set(engine, await startConsole(engine, {}, { folder }));
  rmSync(join(folder, 'late.json'));
  symlinkSync(join(root, 'secret.json'), join(folder, 'late.json'));
});

afterAll(async () => {
  await Promise.all([...rigs.values()].map(({ front }) => front.close()));
  rmSync(root, { recursive: true });
});

function rigOf(engine: HttpEngine): ConsoleRig {
  const rig = rigs.get(engine);
  if (rig === undefined) throw new Error('not started');
  return rig;
}

describe.each(ENGINES)('the page over %s', (engine) => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${rigOf(engine).baseUrl}${path}`, { headers, redirect: 'manual' });

  test('the index stands at /console/ and at every address that is no file', async () => {
    for (const path of ['/console/', '/console/actors', '/console/actors/pay%3A0xab.c/at/3?x=1']) {
      const answer = await get(path);
      expect([path, answer.status, await answer.text()]).toEqual([
        ...[path, 200, '<!doctype html>the page'],
      ]);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
    const moved = await get('/console');
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/console/']);
  });

  test('every answer forbids all that is not its own', async () => {
    const paths = ['/console', '/console/', '/console/chart.svg', '/console/none.js'];
    for (const path of paths) {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')).toBe(POLICY);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('set-cookie')).toBeNull();
    }
  });

  test('a file with a hash in its name is kept for ever, another is asked for again', async () => {
    const hashed = await get('/console/assets/main-AbCd1234.js');
    expect(hashed.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(hashed.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const chart = await get('/console/chart.svg');
    expect(chart.headers.get('cache-control')).toBe('no-cache');
    expect(chart.headers.get('content-type')).toBe('image/svg+xml');
    const again = await get('/console/chart.svg', {
      'if-none-match': `"x", ${chart.headers.get('etag')}`,
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('packed files are sent to who takes them', async () => {
    const path = '/console/assets/main-AbCd1234.js';
    for (const [accepted, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['br;q=0.0, gzip; q=0', null],
      ['identity', null],
    ] as const) {
      const answer = await get(path, { 'accept-encoding': accepted });
      expect([accepted, answer.headers.get('content-encoding')]).toEqual([accepted, encoding]);
      expect(answer.headers.get('vary')).toContain('accept-encoding');
      expect(await answer.text()).toBe(SCRIPT);
    }
    const plain = await get('/console/chart.svg', { 'accept-encoding': 'br' });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  test('HEAD tells the length, other methods are refused', async () => {
    const head = await fetch(`${rigOf(engine).baseUrl}/console/chart.svg`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      ...[200, '6', ''],
    ]);
    const post = await fetch(`${rigOf(engine).baseUrl}/console/chart.svg`, {
      method: 'POST',
      body: 'x',
    });
    expect(post.status).toBe(405);
  });
});

describe.each(ENGINES)('an address of the page over %s', (engine) => {
  test.each([
    '/console/../secret.json',
    '/console/assets/../../secret.json',
    '/console/%2e%2e/secret.json',
    '/console/%2E%2E%2Fsecret.json',
    '/console/..%2fsecret.json',
    '/console/%252e%252e/secret.json',
    '/console/..',
    '/console/./index.html',
    '/console/..\\secret.json',
    '/console/%5c..%5csecret.json',
    '/console/%00index.html',
    '/console/%zz.json',
    '/console//etc/passwd.json',
    '/console//secret.json',
    '/console/outside/secret.json',
    '/console/linked.json',
    '/console/late.json',
    '/console/none.js',
    '/console/assets/main-AbCd1234.js.br.js',
    '/console/index.html/x.js',
  ])('%s is 404 and nothing else', async (path) => {
    const { text, statuses } = await sendRaw(rigOf(engine).port, [
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    ]);
    expect(statuses).toEqual([404]);
    expect(text).not.toContain('secret');
  });

  test('a page that is not built is 503 and names the command', async () => {
    const bare = await startConsole(engine, {}, { folder: join(folder, 'none') });
    const answer = await fetch(`${bare.baseUrl}/console/`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(/^NOT_CONFIGURED: .*npm run build/);
    await bare.front.close();
  });
});
