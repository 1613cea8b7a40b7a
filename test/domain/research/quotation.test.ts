import { expect, test } from 'vitest';
import { isQuoted } from '../../../src/domain/research/quotation.ts';
import { seeded } from '../../support/seeded.ts';

test('a quotation is found wherever it stands between words, overlaps included', () => {
  const random = seeded(20);
  const draw = (signs: string, most: number) =>
    Array.from({ length: Math.ceil(random() * most) }, () =>
      signs.charAt(Math.floor(random() * signs.length)),
    ).join('');
  let quoted = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const text = draw('ab .', 24).replaceAll(/\s+/g, ' ').trim();
    const quote = draw('ab .', 5).replaceAll(/\s+/g, ' ').trim();
    const isThere = Array.from({ length: text.length }, (_, at) => at).some((at) => {
      const [before, after] = [text.slice(0, at), text.slice(at + quote.length)];
      const isCut = /\w$/.test(before) && /^\w/.test(quote);
      const isOpen = /\w$/.test(quote) && /^\w/.test(after);
      return quote !== '' && text.startsWith(quote, at) && !isCut && !isOpen;
    });
    if (isThere) quoted += 1;
    expect([text, quote, isQuoted(quote, text)]).toEqual([text, quote, isThere]);
  }
  expect(quoted).toBeGreaterThan(100);
});
