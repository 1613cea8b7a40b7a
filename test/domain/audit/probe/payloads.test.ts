import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import {
  arithmeticFor,
  codeFor,
  conditionsFor,
  delaysFor,
  shellFor,
} from '../../../../src/domain/audit/probe/payloads.ts';
import { destroysIn, isExistingName } from '../../../../src/domain/audit/text/existing-names.ts';
import { ownNames } from '../../../../src/domain/audit/text/own-names.ts';

const own = ownNames('payloads');
const heads = [
  { text: 'x', isNaming: false },
  { text: own.text('a'), isNaming: false },
  { text: own.path('a'), isNaming: true },
];
const payloads = heads.flatMap((head) => [
  ...arithmeticFor(head),
  ...codeFor(head),
  ...shellFor(head),
]);
const conditions = heads.flatMap((head) => conditionsFor(head));
const sent = [
  ...payloads.flatMap(({ text, control }) => [text, control]),
  ...conditions.flatMap(({ holds, holdsToo, fails }) => [holds, holdsToo, fails]),
];

test('no text that is sent shows the sign of a payload: a target may keep and repeat all of them', () => {
  const signs = [...new Set(payloads.map(({ sign }) => sign))];
  expect(signs).not.toEqual([]);
  for (const sign of signs) expect(sent.filter((text) => text.includes(sign))).toEqual([]);
});

test('conditions hold and fail as they say, where they are JavaScript', () => {
  const judge = (text: string): unknown => runInNewContext(text);
  const script = conditions.filter(({ holds }) => holds.includes('=>'));
  expect(script.length).toBeGreaterThan(1);
  for (const { holds, holdsToo, fails } of script) {
    expect([judge(holds), judge(holdsToo), judge(fails)]).toEqual([true, true, false]);
  }
});

test('no text destroys anything or names what exists, whoever runs it; names begin with ours', () => {
  const delays = heads.flatMap((head) => delaysFor(head).map((delay) => delay(1)));
  for (const text of [...sent, ...delays]) {
    expect(destroysIn(text), text).toBe(false);
    expect(isExistingName(text, { listeners: [] }), text).toBe(false);
  }
  const [, , naming] = heads;
  if (naming === undefined) expect.fail('there is a head for names');
  const named = [...arithmeticFor(naming), ...codeFor(naming), ...shellFor(naming)];
  for (const { text, control } of named) {
    expect(
      [text, control].every((one) => one.startsWith(own.folder)),
      text,
    ).toBe(true);
  }
});
