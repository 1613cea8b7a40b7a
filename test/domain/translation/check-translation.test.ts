import { expect, test } from 'vitest';
import {
  checkTranslation,
  hasPassed,
  listFailures,
  type TranslationPair,
} from '../../../src/domain/translation/check-translation.ts';
import { maskText, unmaskText } from '../../../src/domain/translation/masks.ts';
import { compareNumbers, findNumbers } from '../../../src/domain/translation/numbers.ts';

function compare(source: string, translation: string, over: Partial<TranslationPair> = {}) {
  const base = { from: 'zh', to: 'en', glossary: [], names: [] } as const;
  return checkTranslation({ ...base, source, translation, ...over });
}

const back = { from: 'en', to: 'zh' } as const;

test.each([
  ['营收3.5亿元', 'revenue of 350 million yuan'],
  ['营收3.5亿元', 'revenue of 350,000,000 yuan'],
  ['共12,345人', '12,345 people in all'],
  ['1.2万台', '12 thousand units'],
  ['1.2万台', '12,000 units'],
  ['增长２５％', 'up 25%'],
  ['2026年3月5日', 'March 5, 2026'],
  ['第3季度', 'the third quarter'],
  ['40亿美元', '$4bn'],
  ['3家公司', 'three companies'],
  ['21天', 'twenty-one days'],
  ['500万元', 'five million yuan'],
])('%s keeps its numbers as %s', (source, translation) => {
  const found = compareNumbers(findNumbers(source, 'zh'), findNumbers(translation, 'en'));
  expect(found).toEqual({ missing: [], invented: [] });
});

test.each([
  ['revenue of 350 million yuan', '营收三亿五千万元'],
  ['12,000 units', '一万二千台'],
  ['in 2026', '二〇二六年'],
  ['4.5 percent', '百分之四点五'],
  ['105 people', '一百零五人'],
])('%s keeps its numbers as %s', (source, translation) => {
  const found = compareNumbers(findNumbers(source, 'en'), findNumbers(translation, 'zh'));
  expect(found).toEqual({ missing: [], invented: [] });
});

test.each([
  ['营收3.5亿元', 'revenue of 35 million yuan', ['350000000'], ['35000000']],
  ['营收3.5亿元', 'revenue of 3.5 billion yuan', ['350000000'], ['3500000000']],
  ['12人', 'people', ['12'], []],
  ['很多人', '12 people', [], ['12']],
  ['1.2万', '1.2', ['12000'], ['1.2']],
])('%s as %s: its value changed', (source, translation, missing, invented) => {
  const { numbers } = compare(source, translation);
  expect(numbers).toEqual({ ok: false, missing, invented });
});

test('addresses, placeholders, tags and code are masked, put back, and missed where they lack', () => {
  const text = '见 https://example.org/a?b=1 和 `npm run x`，{name} 欠 %s <b>元</b> a@example.org';
  const { text: masked, parts } = maskText(text);
  expect(parts).toHaveLength(7);
  expect(masked).not.toContain('example.org');
  expect(unmaskText(masked, parts)).toBe(text);
  const sound =
    'See https://example.org/a?b=1 and `npm run x`; {name} owes %s <b>yuan</b> a@example.org';
  expect(compare(text, sound).kept.ok).toBe(true);
  const { kept } = compare(text, sound.replace('{name}', '{nom}').replace('run x', 'run y'));
  expect(kept.missing.sort()).toEqual(['`npm run x`', '{name}']);
  expect(kept.invented.sort()).toEqual(['`npm run y`', '{nom}']);
  expect(compare('你好', 'Hello ⟦3⟧').kept.invented).toEqual(['⟦3⟧']);
});

test('a text that brings masks of its own gets none of ours by them', () => {
  const { text, parts } = maskText('⟦1⟧ 见 `code`');
  expect([text, parts]).toEqual(['(1) 见 ⟦1⟧', ['`code`']]);
});

test('names stay, terms are those of the glossary, and no other script is left', () => {
  const source = 'OpenAI 与证监会签约';
  const glossary = [{ src: '证监会', dst: 'CSRC', mode: 'must' as const }];
  expect(hasPassed(compare(source, 'OpenAI signs with the CSRC', { glossary }))).toBe(true);
  const off = compare(source, 'Open AI signs with 证监会', { glossary });
  expect([off.names.missing, off.glossary.missing]).toEqual([['OpenAI'], ['CSRC']]);
  expect(off.script.ok).toBe(false);
  const prefer = [{ src: '证监会', dst: 'CSRC', mode: 'prefer' as const }];
  const soft = compare(source, 'OpenAI signs with the regulator', { glossary: prefer });
  expect(soft.glossary).toEqual({ ok: true, missing: [], not_preferred: ['CSRC'] });
  const kept = compare('Wang Wei said so', '王伟这样说', { ...back, names: ['Wang Wei'] });
  expect(kept.names.missing).toEqual(['Wang Wei']);
});

test('what was not translated, joined or cut short is found', () => {
  expect(compare('Please pay the invoice', 'Please pay the invoice', back).script.ok).toBe(false);
  expect(compare('一。\n\n二。', 'First. Second.').paragraphs.ok).toBe(false);
  const long = '这是一个很长的句子，里面有很多内容，必须全部翻译出来才算完整。';
  const short = compare(long, 'Done.');
  expect(short.length.ok).toBe(false);
  expect(listFailures(short)).toEqual([expect.stringContaining('length')]);
});
