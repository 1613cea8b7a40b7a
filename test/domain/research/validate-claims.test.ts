import { expect, test } from 'vitest';
import type { Passage } from '../../../src/domain/research/passage.ts';
import { splitPassages } from '../../../src/domain/research/text-passages.ts';
import {
  type CitationContext,
  type DraftClaim,
  validateClaims,
} from '../../../src/domain/research/validate-claims.ts';
import { seeded } from '../../support/seeded.ts';

const TEXT = [
  'Revenue of Example Ltd grew by 12% to 1.2 billion dollars in 2023.',
  'The plant does not emit carbon. Its owner said "we are ready" to the press on Monday.',
].join('\n');

function ledgerOf(text: string, title = 'Example Ltd'): CitationContext {
  const { passages } = splitPassages({ id: 'd1', text });
  return {
    passages: new Map(passages.map((passage, at) => [`p${at + 1}`, passage])),
    documents: new Map([['d1', { text, title }]]),
  };
}

function reasonFor(
  text: string,
  passage = 'p1',
  quote: string | null = null,
  ledger?: CitationContext,
) {
  const draft = { part: 'q1', text, cites: [{ passage, quote }] };
  const { claims, dropped } = validateClaims([draft], ledger ?? ledgerOf(TEXT));
  expect(claims.length + dropped.length).toBe(1);
  return dropped[0]?.reason ?? claims[0]?.support;
}

test.each([
  ['Revenue of Example Ltd grew by 12% to 1.2 billion dollars in 2023.', 'p1', 'verbatim'],
  ['In 2023 revenue grew to 1,200 million dollars.', 'p1', 'paraphrase'],
  ['Revenue grew by 12 percent.', 'p1', 'paraphrase'],
  ['Revenue grew by 13%.', 'p1', 'number_not_in_citation'],
  ['Revenue grew to 1.2 million dollars.', 'p1', 'number_not_in_citation'],
  ['Revenue grew by 2023%.', 'p1', 'number_not_in_citation'],
  ['Revenue of Other Ltd grew by 12%.', 'p1', 'name_not_in_citation'],
  ['Revenue grew in the EU by 12%.', 'p1', 'name_not_in_citation'],
  ['Revenue did not grow to 1.2 billion dollars.', 'p1', 'turned_around'],
  ['The plant emits carbon.', 'p2', 'turned_around'],
  ['The plant does not emit carbon.', 'p2', 'verbatim'],
  ['The owner said "we are ready".', 'p2', 'paraphrase'],
  ['The owner said "we are not ready".', 'p2', 'quotation_not_in_citation'],
  ['Bananas and ships are yellow and loud.', 'p2', 'words_not_in_citation'],
  ['The and of it.', 'p2', 'words_not_in_citation'],
])('%j citing %s: %s', (text, passage, expected) => {
  expect(reasonFor(text, passage)).toBe(expected);
});

test('a citation of no passage, of another place, or with words that are not there does not count', () => {
  const ledger = ledgerOf(TEXT);
  const claim = 'Revenue grew by 12%.';
  expect(reasonFor(claim, 'p9')).toBe('no_citation');
  expect(reasonFor(claim, 'p1', 'shrank by 12%')).toBe('no_citation');
  expect(reasonFor(claim, 'p1', '')).toBe('no_citation');
  expect(reasonFor(claim, 'p1', 'grew by 12%')).toBe('paraphrase');
  const moved = { ...(ledger.passages.get('p1') as Passage), from: 1, to: 60 };
  const passages = new Map([['p1', moved]]);
  expect(reasonFor(claim, 'p1', null, { ...ledger, passages })).toBe('no_citation');
  expect(reasonFor(claim, 'p1', null, { ...ledger, documents: new Map() })).toBe('no_citation');
});

test('of two citations the bad one is dropped and counted, and the claim stands on the other', () => {
  const cites = [
    { passage: 'p1', quote: 'grew by 12%' },
    { passage: 'p1', quote: 'grew by 99%' },
  ];
  const drafts = [{ part: 'q1', text: 'Revenue grew by 12%.', cites }];
  expect(validateClaims(drafts, ledgerOf(TEXT))).toMatchObject({
    claims: [{ cites: ['p1'], numbersChecked: 1 }],
    counts: { claimsChecked: 1, citationsChecked: 2, citationsDropped: 1, numbersChecked: 1 },
  });
});

const WORDS = `validator stake block coin reward chain vote key lock sign epoch final slot fork
  client network node peer state root`.split(/\s+/);

test('over random documents every passage passes word for word, and no invention does', () => {
  const seed = Date.now();
  const next = seeded(seed);
  const word = () => WORDS[Math.floor(next() * WORDS.length)] ?? 'stake';
  for (let round = 0; round < 40; round += 1) {
    const sentence = () =>
      `The ${Array.from({ length: 12 }, word).join(' ')} has ${Math.floor(next() * 1e6)} coins.`;
    const text = Array.from({ length: 8 }, sentence).join(' ');
    const ledger = ledgerOf(text, 'Made');
    const hint = `seed ${seed}, round ${round}`;
    for (const [name, passage] of ledger.passages) {
      const claim = (said: string, quote: string = passage.text): DraftClaim => ({
        part: 'q1',
        text: said,
        cites: [{ passage: name, quote }],
      });
      const passed = validateClaims([claim(passage.text)], ledger);
      expect(passed.claims, hint).toMatchObject([{ support: 'verbatim', cites: [name] }]);
      const invented = [
        claim(passage.text.replace(/\d+/, '7777777')),
        claim(`${passage.text} "never said by anybody"`),
        claim(passage.text.replace('has', 'has not')),
        claim(passage.text, `${passage.text.slice(0, 40)}zzz`),
        claim(passage.text.replace('The', 'In Atlantis the Poseidon')),
      ];
      expect(validateClaims(invented, ledger).claims, hint).toEqual([]);
    }
  }
});
