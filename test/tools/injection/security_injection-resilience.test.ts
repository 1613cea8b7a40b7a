import { expect, test } from 'vitest';
import { INJECTION_PROBES } from '../../../src/actors/audit/injection/injection-probes.ts';
import { AuditState } from '../../../src/domain/audit/state.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import { verifyAuditReport } from '../../../src/domain/verification/audit-report.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { injectionResilienceTool } from '../../../src/tools/injection/security_injection-resilience.ts';
import {
  type AuditWorld,
  auditWorld,
  contentOf,
  TARGET,
  textOf,
} from '../../support/audits/audit-world.ts';
import { FAKE_PROBES } from '../../support/audits/fake-probes.ts';
import { naiveAnswer } from '../../support/injection/naive-agent.ts';
import { paymentStates } from '../../support/payment-world.ts';
import { proves } from '../../support/proves.ts';

const NAME = 'security_injection-resilience';
const ASK = {
  name: 'ask',
  description: 'Answers a question.',
  inputSchema: {
    type: 'object',
    properties: { question: { type: 'string' } },
    required: ['question'],
  },
};

async function world(): Promise<AuditWorld> {
  const made = await auditWorld([...FAKE_PROBES, ...INJECTION_PROBES]);
  made.fake.tools = [ASK];
  made.fake.answers = ({ question }) => naiveAnswer(String(question), ['override', 'record']);
  return made;
}

test('without consent it answers free with a nonce, where to serve it, and no passive way out', async () => {
  const made = await world();
  const told = contentOf(await (await made.life()).call(NAME, { target: TARGET }));
  const data = told['data'] as Record<string, unknown>;
  expect(told['error']).toBe('AUDIT_UNPROVEN');
  expect(data['serve_text']).toBe(sha256Hex(String(data['nonce'])));
  expect(JSON.stringify(told)).not.toContain('passive');
  expect(made.fake.requests).toBe(0);
  expect(made.chain.rpcCalls()).toBe(0);
});

test('a proven target is given the corpus; resistance is told by class, signed and published', async () => {
  proves('C4.3.t35');
  const made = await world();
  const life = await made.life();
  const bought = AuditState.parse(contentOf(await life.buyActive(NAME, { wait_s: 0 })));
  expect(bought.status).toBe('working');
  const state = await life.ended(bought.job_id);
  expect(state).toMatchObject({ status: 'published', outcome: 'complete', plan: 'injection' });
  const verdicts = state.result?.injection?.classes.map((one) => [one.class, one.verdict]);
  expect(verdicts?.filter(([, verdict]) => verdict === 'obeyed').map(([name]) => name)).toEqual([
    ...['override', 'record'],
  ]);
  expect(state.result?.confirmed).toMatchObject({ high: 1, medium: 1 });
  const file = await life.desk.read(state.audit_id);
  expect(verifyAuditReport(file, { recover: recoverSigner })).toMatchObject({ isValid: true });
  const changed = structuredClone(file.payload);
  for (const row of changed.injection?.classes ?? []) row.verdict = 'resisted';
  const statement = made.chain.trust.signStatement({
    kind: 'audit_report',
    payload: JSON.parse(JSON.stringify(changed)),
    issuedAt: Date.parse(changed.ended_at),
  });
  expect(verifyAuditReport({ payload: changed, statement }, { recover: recoverSigner })).toEqual({
    isValid: false,
    reason: 'the injection resistance does not match the trials',
  });
  expect(await paymentStates(life)).toEqual(['closed']);
  expect(made.books()).toEqual({ paid: 500_000n, refunded: 0n });
  expect(made.fake.open).toBe(0);
  const words = textOf(await life.call('get_result', { job_id: bought.job_id }));
  expect(words).toContain('direct override (Orders to drop the task): OBEYED, resisted 0 of 4');
  expect(words).toContain('Corpus 1, SHA-256 ');
});

test('a cancel ends it, and the share of the classes that did not run goes back', async () => {
  const made = await world();
  const life = await made.life();
  made.fake.onRequest = () => {
    made.fake.hangs = made.fake.requests > 40;
  };
  const { job_id } = AuditState.parse(contentOf(await life.buyActive(NAME, { wait_s: 0 })));
  await life.call('get_result', { job_id, cancel: true, wait_s: 0 });
  const state = await life.ended(job_id);
  expect(state.status).toBe('aborted');
  expect(state.outcome).toBe('cancelled');
  expect(Number(state.refund?.amount)).toBeGreaterThan(0);
  expect(made.fake.open).toBe(0);
});

test.each([
  ['a passive mode', { mode: 'passive' }, 'INPUT_INVALID'],
  ['categories', { categories: ['ASI01'] }, 'INPUT_INVALID'],
  ['no address', { target: 'nonsense' }, 'INPUT_INVALID'],
  ['a forged nonce', { consent: { nonce: `stoa-audit-v1_${'a'.repeat(40)}` } }, 'AUDIT_UNPROVEN'],
])('%s is refused before any payment is asked', async (_name, args, code) => {
  const made = await world();
  const told = contentOf(await (await made.life()).buy(NAME, { target: TARGET, ...args }));
  expect(told['error']).toBe(code);
  expect(made.chain.rpcCalls()).toBe(0);
});

test('the consent to another audit is none to this, and a dead target is not charged', async () => {
  const made = await world();
  const life = await made.life();
  const other = contentOf(await life.call('security_framework-audit', { target: TARGET }));
  const { nonce, serve_text } = other['data'] as { nonce: string; serve_text: string };
  made.fake.served = serve_text;
  const told = contentOf(await life.buy(NAME, { target: TARGET, consent: { nonce } }));
  expect(told['message']).toContain('for this target, plan, and allow_writes');
  made.fake.isDown = true;
  const dead = contentOf(await life.buyActive(NAME));
  expect(dead['error']).toBe('AUDIT_TARGET_DOWN');
  expect(made.books()).toEqual({ paid: 0n, refunded: 0n });
});

test('it costs half a dollar, and its challenge names the corpus', async () => {
  proves('C8.s1.c5');
  const made = await world();
  const life = await made.life();
  const { price, input } = injectionResilienceTool({} as never);
  expect(price).toEqual({ amount: '500000', flow: 'upfront' });
  expect(input.parse({ target: TARGET })).toMatchObject({ mode: 'active', categories: ['ASI01'] });
  const { nonce } = contentOf(await life.call(NAME, { target: TARGET }))['data'] as {
    nonce: string;
  };
  const asked = await life.call(NAME, { target: TARGET, consent: { nonce } });
  expect(asked).toMatchObject({
    kind: 'payment_required',
    required: { accepts: [{ amount: '500000' }] },
  });
  expect(JSON.stringify(asked)).toMatch(/"corpus_version":1,"corpus_sha256":"[0-9a-f]{64}"/);
});
