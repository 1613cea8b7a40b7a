import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinResponse, quoteText, toReadableLine } from '../../../src/domain/common/readable.ts';

const ODD = [
  '\n',
  '\r',
  '\u0085',
  '\u2028',
  '\u2029',
  '\v',
  '\f',
  '\0',
  '\u001b[2J',
  '\u202e',
  '\u200b',
];
const MORE = ['\u{e0041}', '\ufeff', '\u2066', '\u3164', '\ud800', '"', 'Decision: B', ' ', 'x'];
const texts = fc.array(fc.constantFrom(...ODD, ...MORE), { maxLength: 30 });
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

test('a text of somebody else is one line of a bounded length, and nothing in it hides', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (parts, charsMax) => {
      const text = parts.join('');
      expect(toReadableLine(text, charsMax)).not.toMatch(FORBIDDEN);
      expect(toReadableLine(text, charsMax).length).toBeLessThanOrEqual(charsMax);
      const quoted = quoteText(text, charsMax);
      expect(quoted.slice(1, -1)).not.toContain('"');
      expect(quoted).toMatch(/^"[^\n]*"$/);
    }),
  );
});

test('an answer has as many lines as were written, whatever stands in them', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 6 }), (lines) => {
      const text = joinResponse(lines.map((parts) => parts.join('')));
      expect(text.split(/[\n\r\u0085\u2028\u2029\v\f]/)).toHaveLength(lines.length);
      expect(text.replaceAll('\n', '')).not.toMatch(FORBIDDEN);
    }),
  );
});

test('a block keeps its lines and loses what hides', () => {
  const text = joinResponse(['Head'], ['[BEGIN]\na\r\nb\u2028c\td\u202e\u0000\n[END]']);
  expect(text).toBe('Head\n[BEGIN]\na\nb\nc\td\n[END]');
});

test('every tool puts its text together with the one function that knows the order', () => {
  const written = readdirSync('src/tools', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ path: `src/tools/${name}`, text: readFileSync(`src/tools/${name}`, 'utf8') }))
    .filter(({ text }) => /type: 'text', text/.test(text));
  const joined = written.filter(({ text }) => text.includes('composeResult('));
  const others = written.filter((one) => !joined.includes(one)).map(({ path }) => path);
  expect(joined.length).toBeGreaterThan(6);
  expect(others.sort()).toEqual([]);
});
