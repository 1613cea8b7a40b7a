import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyCounter, createBodyCounter } from '../../src/router/body.ts';

/** Feeds a text in pieces; tells how many bytes belong to the body, or that it is none. */
function measure(meter: BodyCounter, text: string, step = text.length): number | 'bad' | 'open' {
  const bytes = Buffer.from(text, 'latin1');
  let used = 0;
  for (let at = 0; at < bytes.length; at += step) {
    const taken = meter.consume(bytes.subarray(at, at + step));
    if (taken === undefined) return 'bad';
    used += taken.used;
    if (taken.isDone) return used;
  }
  return 'open';
}

describe('chunks end where they say, however they are cut', () => {
  const cases = [
    '0\r\n\r\n',
    '3\r\nabc\r\n0\r\n\r\n',
    'A\r\n0123456789\r\n00\r\n\r\n',
    '3;ext="v"\r\nabc\r\n0\r\nX: y\r\n\r\n',
    '2\r\n\r\n\r\n0\r\n\r\n',
  ];

  test.each(cases)('%j', (text) => {
    for (const step of [1, 2, 3, text.length]) {
      expect(measure(createBodyCounter({ kind: 'chunked' }), text, step)).toBe(text.length);
    }
    expect(measure(createBodyCounter({ kind: 'chunked' }), `${text}GET / HTTP/1.1`)).toBe(
      text.length,
    );
  });

  test('any body, in any chunks and pieces', () => {
    const parts = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }));
    fc.assert(
      fc.property(parts, fc.integer({ min: 1, max: 17 }), (chunks, step) => {
        const framed = chunks.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join('');
        const text = `${framed}0\r\n\r\n`;
        expect(measure(createBodyCounter({ kind: 'chunked' }), text, step)).toBe(text.length);
      }),
    );
  });
});

test.each([
  '3\nabc\r\n0\r\n\r\n',
  '-1\r\n',
  '0x3\r\nabc\r\n',
  ' 3\r\nabc\r\n',
  '\r\nabc\r\n',
  'FFFFFFFFF\r\n',
  '3\r\nabcd\r\n',
  '3\r\nabc\n\r\n',
  '0\r\nX y\r\n\r\n',
  `3;${'e'.repeat(300)}\r\nabc\r\n`,
  `0\r\n${'X: y\r\n'.repeat(2_000)}\r\n`,
])('chunks like %j are none', (text) => {
  expect(measure(createBodyCounter({ kind: 'chunked' }), text)).toBe('bad');
});

test('a body of a length ends there, and what follows is another’s', () => {
  const meter = createBodyCounter({ kind: 'length', bytes: 4 });
  expect(meter.consume(Buffer.from('ab'))).toEqual({ used: 2, isDone: false });
  expect(meter.consume(Buffer.from('cdGET'))).toEqual({ used: 2, isDone: true });
});
