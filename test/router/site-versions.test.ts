import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Asked, askRouter } from '../support/ask-router.ts';
import { openRouterRig, type RouterRig } from '../support/router-rig.ts';

const HOST = 'site.localhost';
let rig: RouterRig;
let root: string;

beforeEach(async () => {
  rig = await openRouterRig();
  root = join(rig.folder, 'site');
  mkdirSync(root);
  writeFileSync(join(root, 'index.html'), '<p>home</p>');
  const to = { kind: 'files' as const, instance: 'dep-1', root };
  rig.route({ serviceId: 'srv-site', hosts: [HOST], to });
});
afterEach(() => rig.close());

test('a tag changes with the file, whatever the size and the date say', async () => {
  const file = join(root, 'index.html');
  const date = new Date('2020-01-01T00:00:00Z');
  const seen = new Set<string>();
  for (const text of ['<p>home</p>', '<p>moon</p>', '<p>noon</p>']) {
    // As a build or an archive writes it: a fresh file with a date that is given.
    rmSync(file);
    writeFileSync(file, text);
    utimesSync(file, date, date);
    const { message, text: got } = await ask();
    expect(got).toBe(text);
    for (const old of seen) {
      expect(await ask({ headers: { 'if-none-match': old } })).toMatchObject({ text });
    }
    seen.add(String(message.headers.etag));
  }
  expect(seen.size).toBe(3);
  writeFileSync(file, '<p>over</p>');
  utimesSync(file, date, date);
  expect(seen).not.toContain((await ask()).message.headers.etag);
});

test('conditions hold for lists, weak tags and any tag, each as the protocol says', async () => {
  const tag = String((await ask()).message.headers.etag);
  const whole = { status: 200, text: '<p>home</p>' };
  const part = { status: 206, text: 'home' };
  const range = { range: 'bytes=3-6' };
  const cases: readonly (readonly [Record<string, string>, object])[] = [
    [{ 'if-none-match': `W/${tag}` }, { status: 304, text: '' }],
    [{ 'if-none-match': `"a,b", W/"c" ,${tag}` }, { status: 304 }],
    [{ 'if-none-match': '*' }, { status: 304 }],
    [{ 'if-none-match': `"x${tag.slice(1)}` }, whole],
    [{ 'if-none-match': `"${tag.slice(1, -1)},"` }, whole],
    [{ 'if-match': tag }, whole],
    [{ 'if-match': '*' }, whole],
    [{ 'if-match': `W/${tag}` }, { status: 412, text: '' }],
    [{ 'if-match': '"other"' }, { status: 412 }],
    [{ ...range, 'if-range': tag }, part],
    [{ ...range, 'if-range': `W/${tag}` }, whole],
    [{ ...range, 'if-range': '"other"' }, whole],
    [{ ...range, 'if-range': 'Wed, 01 Jan 2020 00:00:00 GMT' }, whole],
    [{ ...range, 'if-none-match': tag }, { status: 304 }],
  ];
  for (const [headers, answer] of cases) {
    expect(await ask({ headers }), JSON.stringify(headers)).toMatchObject(answer);
  }
  expect(await ask({ method: 'HEAD', headers: range })).toMatchObject({ status: 200 });
});

function ask(asked: Asked = {}) {
  return askRouter(rig.router.port, { host: HOST, ...asked });
}
