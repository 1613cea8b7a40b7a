import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAttestationTool } from '../../../src/tools/commerce/security_audit-attestation.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const SHA = 'd'.repeat(64);
const DAY_MS = 86_400_000;
const WALLET = `0x${'a'.repeat(40)}`;
const PAID = { paymentId: `pay_${'6'.repeat(64)}` };
const AUDIT = {
  ...{ audited: 'maker', auditor: 'checker', performed_at: '2026-01-01T00:00:00.000Z' },
  ...{ result_sha256: SHA, verdict: 'mixed', summary: 'Two findings.' },
};
let rig: LookRig;

beforeAll(() => {
  rig = lookRig();
  rig.register('maker', { wallet: WALLET });
  rig.register('checker');
});
afterAll(() => rig.close());

function tool() {
  const { chain, deps } = rig;
  const { passports } = deps.trust;
  return auditAttestationTool({ trust: chain.trust, passports, clock: deps.clock });
}

async function notarize(over: object = {}) {
  const input = tool().input.parse({ ...AUDIT, ...over });
  tool().ready?.(input);
  const result = await tool().run(input, toolContext(PAID).context);
  tool().output.parse(result.structuredContent);
  expect(rig.isSigned(result.structuredContent)).toBe(true);
  const { payload } = result.structuredContent as never as { readonly payload: object };
  return { payload, text: textOf(result) };
}

test('a result is notarized by hash and summary, with both sides as the registry knows them', async () => {
  const findings = { critical: 0, high: 2, medium: 0, low: 9 };
  const framework = 'OWASP ASI01-ASI10';
  const { payload, text } = await notarize({ findings, framework });
  expect(payload).toMatchObject({
    attested_at: new Date(rig.deps.clock.now()).toISOString(),
    audit: { ...AUDIT, findings, framework },
    audited: { as_given: 'maker', registered: true, wallet: WALLET },
    auditor: { as_given: 'checker', registered: true },
    is_self_audit: false,
    attests: expect.stringContaining('was shown to the service'),
    does_not_attest: expect.stringContaining('did not run it'),
  });
  expect(text).toContain(`the result ${SHA.slice(0, 16)}… of an audit, verdict mixed`);
  expect(text).not.toContain('audited itself');
});

test.each([
  ['by the same word', { audited: 'stranger', auditor: 'Stranger' }],
  ['by a name and its wallet', { audited: 'maker', auditor: WALLET }],
])('an auditor that audits itself is told, %s', async (_how, sides) => {
  const { payload, text } = await notarize(sides);
  expect(payload).toMatchObject({ is_self_audit: true });
  expect(text).toContain('The auditor audited itself.');
});

test('two strangers are two: what is registered nowhere is not the same', async () => {
  const { payload } = await notarize({ audited: 'one', auditor: 'other' });
  expect(payload).toMatchObject({
    ...{ is_self_audit: false, audited: { registered: false }, auditor: { registered: false } },
  });
});

test('an audit of next week is refused before a payment, one of a fast clock is not', async () => {
  const at = (ms: number) => new Date(rig.deps.clock.now() + ms).toISOString();
  const refusal = await refusalOf(() => notarize({ performed_at: at(DAY_MS + 1_000) }));
  expect(refusal).toMatchObject({
    code: 'INPUT_INVALID',
    data: { received: at(DAY_MS + 1_000), allowed: `at most ${at(DAY_MS)}` },
  });
  await expect(notarize({ performed_at: at(DAY_MS - 1_000) })).resolves.toBeDefined();
});

test('what is malformed is refused by its shape', () => {
  const wrong: readonly object[] = [
    { audited: '' },
    { auditor: 'two words' },
    { performed_at: '2026-01-01' },
    { result_sha256: SHA.toUpperCase() },
    { verdict: 'good' },
    { summary: '' },
    { summary: 'x'.repeat(4_001) },
    { findings: { critical: -1, high: 0, medium: 0, low: 0 } },
    { findings: { critical: 100_001, high: 0, medium: 0, low: 0 } },
    { framework: 'x'.repeat(201) },
    { more: 1 },
  ];
  for (const over of wrong) {
    const { success } = tool().input.safeParse({ ...AUDIT, ...over });
    expect(success, JSON.stringify(over).slice(0, 80)).toBe(false);
  }
});

test('nothing is signed that was not paid for', async () => {
  const free = tool().run(tool().input.parse(AUDIT), toolContext().context);
  expect((await refusalOf(() => free)).code).toBe('INVARIANT');
});

test('it costs half a dollar, once it is done', () => {
  expect(tool().price).toEqual({ amount: '500000', flow: 'authorization' });
});
