import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject } from '../../../src/domain/common/json.ts';
import { coerceList, coerceShare, findReferenced } from '../../../src/domain/llm/coerce.ts';
import { parseLenientJson } from '../../../src/domain/llm/lenient-json.ts';
import { extractValues, parseAnswer } from '../../../src/domain/llm/parse-answer.ts';
import { parseText } from '../../../src/domain/panel/answer.ts';
import { parseBallot, parsePosition } from '../../../src/domain/panel/answer-forms.ts';

const options = [
  { optionId: 'o1', name: 'C' },
  { optionId: 'o2', name: 'C++' },
  { optionId: 'o3', name: 'Plain TypeScript, 5.9' },
];
const rules = { options, evidence: [{ evidenceId: 'e1', text: 'x' }] };
const answer = { position: 'o3', argument: 'It fits.', confidence: 0.5, evidenceIds: ['e1'] };
const stand = (text: string) => parseText(text, (value) => parsePosition(value, rules));
const vote = (ranking: unknown) =>
  parseText(JSON.stringify({ ranking, argument: 'x', confidence: 1 }), (value) =>
    parseBallot(value, rules),
  );

test('what is JSON reads as JSON does, however it is spaced', () => {
  const member = fc.string({ maxLength: 20 });
  const json = fc.dictionary(
    fc.oneof(member, fc.constantFrom('__proto__', "it's", '"', 'a: b')),
    fc.oneof(fc.jsonValue(), fc.constantFrom('no", "x": 1}', "'", '// x', '#', '},', '\\')),
  );
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const read = parseLenientJson(text, 0);
      expect('value' in read && JSON.stringify(read.value)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test('no text throws, and none gives a value that is not in it', () => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ':',
    ',',
    '\\',
    'a',
    '<think>',
    '</think>',
    '/*',
    '\n',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 40 }), (some) => {
      for (const value of extractValues(some.join(''))) expect(typeof value).toBe('object');
    }),
    { numRuns: 2_000 },
  );
});

describe('what a model thinks is not what it answers:', () => {
  const draft = JSON.stringify({ ...answer, position: 'o1' });
  const final = JSON.stringify(answer);

  test.each([
    ['a block', `<think>${draft}</think>${final}`],
    ['a block of another name', `<reasoning effort="high">${draft}</reasoning>\n${final}`],
    ['a block with a prefix', `<m:thought>${draft}</m:thought>${final}`],
    ['two blocks', `<think>${draft}</think> hm <think>${draft}</think>${final}`],
    ['a block in a block', `<think>${draft}<think>${draft}</think>${draft}</think>${final}`],
    ['an end alone', `So ${draft} it is?\n</think>${final}`],
    ['a beginning after the answer', `${final}<think>${draft}`],
    ['a member', JSON.stringify({ reasoning: { ...answer, position: 'o1' }, result: answer })],
  ])('%s', (_name, text) => {
    expect(stand(text)).toMatchObject({ ok: true, answer: { position: 'o3' } });
  });

  test.each([
    ['nothing but thinking', `<think>${draft}</think>`],
    ['a block without an end', `<think>${draft} and so ${draft}`],
    ['a draft and another answer', `${draft}\n${final}`],
    ['two answers in a list', `[${draft},${final}]`],
  ])('%s is no answer', (_name, text) => {
    expect(stand(text).ok).toBe(false);
  });

  test('a mark within a text of the answer is part of that text', () => {
    const text = JSON.stringify({ ...answer, argument: 'It closes </think> and opens <think>.' });
    expect(stand(text)).toMatchObject({ ok: true, answer: { argument: /<\/think>/ } as never });
  });
});

test.each([
  ['cut in a text', '{"position":"o3","argument":"It fi'],
  ['cut in a list', '{"position":"o3","argument":"x","confidence":1,"evidenceIds":["e1"'],
  ['cut behind a comma', '{"position":"o3","argument":"x","confidence":1,'],
])('an answer that was %s is none', (_name, text) => {
  expect(stand(text).ok).toBe(false);
});

test.each([
  ['c', 'o1'],
  ['C++', 'o2'],
  ['**o2**', 'o2'],
  ['(o3)', 'o3'],
  ['3', 'o3'],
  ['Option 3', 'o3'],
  ['o3 - plain TypeScript, 5.9', 'o3'],
  ['o3: Plain TypeScript, 5.9 - a language [scores: c1=2]', 'o3'],
  ['plain typescript 5.9', 'o3'],
  ['“Plain TypeScript, 5.9”', 'o3'],
  ['c++ (o2)', 'o2'],
  ['o1: C++', undefined],
  ['not o1', undefined],
  ['o12', undefined],
  ['o1 or o2', undefined],
  ['C#', undefined],
  ['4', undefined],
])('%j names %s', (named, optionId) => {
  const all = options.map(({ optionId: id, name }) => ({ id, name }));
  expect(findReferenced(named, all)).toBe(optionId);
});

test.each([
  [0.8, 0.8],
  ['.8', 0.8],
  ['0,75', 0.75],
  [85, 0.85],
  ['85', 0.85],
  ['7 %', 0.07],
  ['~90%', 0.9],
  ['4/5', 0.8],
  ['8 out of 10', 0.8],
  [8, 8],
  ['high', 'high'],
  ['120%', '120%'],
  [null, null],
])('%j is read as the share %j', (given, share) => {
  expect(coerceShare(given)).toBe(share);
});

test.each([
  [null, []],
  ['none', []],
  ['e1', ['e1']],
  [{}, []],
  [{ text: 'x' }, [{ text: 'x' }]],
  [['e1', null], ['e1']],
])('%j is read as the list %j', (given, list) => {
  expect(coerceList(given)).toEqual(list);
});

test.each([
  [
    ['o2', 'o2', 'o1'],
    ['o2', 'o1'],
  ],
  [
    ['o2', 'o9', 'o1'],
    ['o2', 'o1'],
  ],
  ['o2 > o3 > o1', ['o2', 'o3', 'o1']],
  ['1. o2\n2. Plain TypeScript, 5.9\n3. o1', ['o2', 'o3', 'o1']],
  [{ 1: 'o3', 2: 'o1' }, ['o3', 'o1']],
  [
    [
      { option: 'o1', rank: 2 },
      { option: 'o3', rank: 1 },
    ],
    ['o3', 'o1'],
  ],
  [
    [['o3'], ['o1']],
    ['o3', 'o1'],
  ],
])('the ranking %j is %j', (given, ranking) => {
  expect(vote(given)).toMatchObject({ ok: true, answer: { ranking, position: ranking[0] } });
});

test.each([[['o9', 'o1']], ['o1 = o2 > o3'], [[['o1', 'o2'], 'o3']], [[]], [null]])(
  'the ranking %j is in doubt',
  (given) => {
    expect(vote(given).ok).toBe(false);
  },
);

test('what is read may be anything that a caller asks for', () => {
  const read = (value: unknown) =>
    isObject(value) && typeof value['n'] === 'number'
      ? ({ ok: true, answer: value['n'] } as const)
      : ({ ok: false, faults: ['no n'] } as const);
  expect(parseAnswer('{"n": 1} and again {"n": 1}', read)).toEqual({ ok: true, answer: 1 });
  expect(parseAnswer('{"n": 1} or {"n": 2}', read)).toEqual({
    ok: false,
    faults: ['the text holds 2 answers that differ'],
  });
});
