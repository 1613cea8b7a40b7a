import { expect, test } from 'vitest';
import { deceptionsIn } from '../../src/domain/audit/deception.ts';
import { secretsIn, withoutSecrets } from '../../src/domain/audit/secrets.ts';
import { suspicionOf } from '../../src/domain/audit/text-check.ts';
import { textPassages } from '../../src/domain/research/text-passages.ts';

/** Readers of untrusted text, with the longest text that they are tried with, in characters. */
const READERS: Readonly<Record<string, readonly [(text: string) => unknown, number]>> = {
  suspicionOf: [(text) => suspicionOf(text), 20_000],
  deceptionsIn: [deceptionsIn, 1_000_000],
  secretsIn: [(text) => secretsIn(text), 1_000_000],
  withoutSecrets: [withoutSecrets, 1_000_000],
  textPassages: [(text) => textPassages({ id: 'd1', text }), 500_000],
};
const UNITS = [
  ...['\n', ' ', 'a-', '<a ', '<a href=xhref=x', '[', '![', '[a](http://', 'eyJ', 'secret'],
  ...['do not ', 'donot', 'if ', '.', '!', 'a.a.', '-/', '\n  at ', '1', '“', '<', '"', '=', 'é'],
  ...['http://', '<!--', '=\n', 'secret=', 'a:', '<img src', 'never '],
];
/** A hang guard: what is aimed at is a twentieth. */
const LIMIT_MS = 2_500;

test.each(Object.entries(READERS))(
  '%s takes time that grows with the text, whatever is repeated in it',
  { timeout: 300_000 },
  (_name, [read, chars]) => {
    for (const unit of UNITS) {
      const text = unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
      const begun = performance.now();
      read(text);
      expect(performance.now() - begun, JSON.stringify(unit)).toBeLessThan(LIMIT_MS);
    }
  },
);
