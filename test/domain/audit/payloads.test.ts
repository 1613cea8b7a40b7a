import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ARITHMETIC, CODE, CONDITIONS, SHELL } from '../../../src/domain/audit/payloads.ts';

const payloads = [...ARITHMETIC, ...CODE, ...SHELL];
const sent = [
  ...payloads.flatMap(({ text, control }) => [text, control]),
  ...CONDITIONS.flatMap(({ holds, holdsToo, fails }) => [holds, holdsToo, fails]),
];

test('no text that is sent shows the sign of a payload: a target may keep and repeat all of them', () => {
  const signs = [...new Set(payloads.map(({ sign }) => sign))];
  expect(signs).not.toEqual([]);
  for (const sign of signs) expect(sent.filter((text) => text.includes(sign))).toEqual([]);
});

test('conditions hold and fail as they say, where they are JavaScript', () => {
  const judge = (text: string): unknown => runInNewContext(text);
  const script = CONDITIONS.filter(({ holds }) => holds.includes('=>'));
  expect(script.length).toBeGreaterThan(1);
  for (const { holds, holdsToo, fails } of script) {
    expect([judge(holds), judge(holdsToo), judge(fails)]).toEqual([true, true, false]);
  }
});
