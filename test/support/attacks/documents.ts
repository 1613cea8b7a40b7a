import { gzipSync } from 'node:zlib';

/** A document that a stranger sends, with its headers. */
export interface HostileDocument {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const MB = 1_000_000;
const GZIP = { 'content-encoding': 'gzip' };
const laughs = Array.from(
  { length: 10 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('');

/** Documents that are meant to cost time, memory or types, made without any knowledge of a reader. */
export const DOCUMENTS: Readonly<Record<string, HostileDocument>> = {
  'lists nested 100,000 deep': { body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` },
  'objects nested 100,000 deep': { body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
  'elements nested 50,000 deep': { body: `<html><body>${'<div>'.repeat(50_000)}x` },
  '400,000 elements': { body: `<html><body>${'<b>x</b>'.repeat(200_000)}` },
  'one attribute of 1.5 MB': { body: `<html><body><p title="${'a'.repeat(1.5 * MB)}">x</p>` },
  '150,000 attributes': { body: `<html><body><p ${'a=b '.repeat(150_000)}>x</p>` },
  'a bomb of entities': {
    body: `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]><rss version="2.0"><channel><item><title>&l9;</title></item></channel></rss>`,
  },
  'an entity that names a file': {
    body: '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><rss version="2.0"><channel><item><title>&f;</title></item></channel></rss>',
  },
  '100,000 comments that never end': { body: '<!--'.repeat(100_000) },
  'names of members of all objects': {
    body: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"result":{"__proto__":{"polluted":1}},"data":[{"__proto__":{"polluted":1}}]}',
  },
  'a number of 300,000 digits': { body: '9'.repeat(300_000) },
  'a number beyond all numbers': { body: '[1e999,-1e999,{"price":1e999,"result":1e999}]' },
  'an object of 30,000 members': {
    body: `{${Array.from({ length: 30_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
  },
  'nothing at all': { body: '' },
  'the word null': { body: 'null' },
  'an empty list': { body: '[]' },
  'an empty object': { body: '{}' },
  'lone halves of signs': { body: '{"result":"\\ud800","error":["\\udfff"],"data":"\\ud800"}' },
  'bytes of no text': { body: Buffer.alloc(MB, 0xff) },
  'a text in two bytes a sign': { body: Buffer.from('\ufeff<html>x</html>', 'utf16le') },
  'a charset that there is not': {
    headers: { 'content-type': 'text/html; charset=utf-7' },
    body: '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  },
  'a charset with a quote in it': {
    headers: { 'content-type': 'text/html; charset="x\\"; boundary=' },
    body: '<html>x',
  },
  'spaces for a slow pattern': { body: `${' '.repeat(MB)}x` },
  'addresses for a slow pattern': { body: 'http://a@'.repeat(100_000) },
  'a packed bomb of 64 MB': {
    headers: GZIP,
    body: gzipSync(Buffer.alloc(64 * MB, 0x20), { level: 9 }),
  },
  'a bomb packed twice': {
    headers: { 'content-encoding': 'gzip, gzip' },
    body: gzipSync(gzipSync(Buffer.alloc(64 * MB, 0x20), { level: 9 })),
  },
  'a packing that breaks off': { headers: GZIP, body: gzipSync('x'.repeat(9_999)).subarray(0, 30) },
};

const NUMBER = /(?<=[:[,])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[,\]}])/g;
const NUMBER_TEXT = /"-?\d+(?:\.\d+)?"/g;

/** Ways to spoil an answer that would fit otherwise: all of its figures, or all of its objects. */
export const SPOILERS: Readonly<Record<string, (json: string) => string>> = {
  'figures beyond all numbers': figures('1e999', '"1e999"'),
  'figures that are none': figures('null', '"NaN"'),
  'figures without end': figures('"Infinity"', '"Infinity"'),
  'figures of 5,000 digits': figures('9'.repeat(5_000), `"${'9'.repeat(5_000)}"`),
  'figures with 5,000 places': figures(`0.${'1'.repeat(5_000)}`, `"0.${'1'.repeat(5_000)}"`),
  'figures below zero': figures('-7', '"-7"'),
  'figures of zero': figures('0', '"0"'),
  'figures as lists in lists': figures(nested(500), nested(500)),
  'figures as objects': figures('{"__proto__":{"polluted":1}}', '{"toString":1}'),
  'figures in another notation': figures('1e3', '"0x10"'),
  'members of all objects in each object': (json) =>
    json.replaceAll(
      '{"',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"',
    ),
  'each list twice as deep': (json) => json.replaceAll('[', '[[').replaceAll(']', ']]'),
};

function figures(number: string, text: string): (json: string) => string {
  return (json) => json.replaceAll(NUMBER_TEXT, () => text).replaceAll(NUMBER, () => number);
}

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}
