import { expect, test } from 'vitest';
import type { AnyAnswer } from '../../../src/domain/report/page/parse-report.ts';
import {
  isDataAnswerFile,
  verifyDataAnswer,
} from '../../../src/domain/verification/data-answer.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { marketAnswer } from '../../support/reports/market-answer.ts';

const check = { recover: recoverSigner };
let bought: Promise<AnyAnswer> | undefined;

/** One answer for all tests, as a caller has it. */
function answerOnce(): Promise<AnyAnswer> {
  bought ??= marketAnswer({ history_days: 30 }).then((one) => JSON.parse(JSON.stringify(one)));
  return bought;
}

test('an answer as it was bought is signed by the service, bare or inside of a tool result', async () => {
  const answer = await answerOnce();
  for (const saved of [answer, { content: [], structuredContent: answer }]) {
    expect(isDataAnswerFile(saved)).toBe(true);
    expect(verifyDataAnswer(saved, check)).toMatchObject({
      isValid: true,
      tool: 'oracle_comprehensive-report',
      resultSha256: answer.evidence?.result_sha256,
      sources: answer.sources.length,
    });
  }
});

test.each([
  ['a figure', (one: AnyAnswer) => ({ ...one, data: { ...one.data, vs: 'EUR' } })],
  ['a source', (one: AnyAnswer) => ({ ...one, sources: one.sources.slice(1) })],
  ['what is missing', (one: AnyAnswer) => ({ ...one, coverage: { ...one.coverage, missing: [] } })],
  ['a fault', (one: AnyAnswer) => ({ ...one, faults: [] })],
  [
    'a member that no schema knows',
    (one: AnyAnswer) => ({ ...one, data: { ...one.data, more: 1 } }),
  ],
])('an answer in which %s was changed is not the one that was signed', async (_, change) => {
  const answer = await answerOnce();
  expect(verifyDataAnswer(change(answer), check)).toEqual({
    isValid: false,
    reason: 'the hash of the answer differs',
  });
});

test.each([
  ['the tool', { tool: 'another' }],
  ['the request', { request_id: 'req_1' }],
  ['the time', { generated_at: '2020-01-01T00:00:00.000Z' }],
  ['the completeness', { completeness: 'full' }],
] as const)('an answer whose call was changed at %s is not what was signed', async (_, change) => {
  const answer = await answerOnce();
  const verdict = verifyDataAnswer({ ...answer, ...change }, check);
  expect(verdict).toEqual({ isValid: false, reason: 'the hash of the payload differs' });
});

test('another signer, no signature and no answer are named', async () => {
  const answer = await answerOnce();
  const signer = `0x${'1'.repeat(40)}`;
  const reasonOf = (value: unknown, more = {}) =>
    (verifyDataAnswer(value, { ...check, ...more }) as { reason?: string }).reason;
  expect(reasonOf(answer, { signer })).toMatch(/not by 0x1{40}/);
  expect(reasonOf({ ...answer, statement: undefined })).toMatch(/it is not a statement/);
  expect(reasonOf({ ...answer, data: null, evidence: null })).toMatch(/is not signed/);
  expect(reasonOf({})).toBe('the file contains no answer');
  expect(isDataAnswerFile({ payload: {}, statement: {} })).toBe(false);
});
