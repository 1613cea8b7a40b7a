import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import {
  arithmeticPayloads,
  codePayloads,
  conditionPayloads,
  delayPayloads,
  shellPayloads,
} from '../../../../src/domain/audit/probe/payloads.ts';
import { createAuditNames } from '../../../../src/domain/audit/text/audit-names.ts';
import {
  isDestructive,
  mayNameExternal,
} from '../../../../src/domain/audit/text/existing-names.ts';

const own = createAuditNames('payloads');
const heads = [
  { text: 'x', isNaming: false },
  { text: own.canary('a'), isNaming: false },
  { text: own.filePath('a'), isNaming: true },
];
const payloads = heads.flatMap((head) => [
  ...arithmeticPayloads(head),
  ...codePayloads(head),
  ...shellPayloads(head),
]);
const conditions = heads.flatMap((head) => conditionPayloads(head));
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
  const delays = heads.flatMap((head) => delayPayloads(head).map((delay) => delay(1)));
  for (const text of [...sent, ...delays]) {
    expect(isDestructive(text), text).toBe(false);
    expect(mayNameExternal(text, { listeners: [] }), text).toBe(false);
  }
  const [, , naming] = heads;
  if (naming === undefined) expect.fail('there is a head for names');
  const named = [...arithmeticPayloads(naming), ...codePayloads(naming), ...shellPayloads(naming)];
  for (const { text, control } of named) {
    expect(
      [text, control].every((one) => one.startsWith(own.folder)),
      text,
    ).toBe(true);
  }
});
