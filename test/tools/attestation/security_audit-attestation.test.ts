import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditAttestationTool } from '../../../src/tools/attestation/security_audit-attestation.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const SHA = 'd'.repeat(64);
const DAY_MS = 86_400_000;
const WALLET = `0x${'a'.repeat(40)}`;
const PAID = { paymentId: `pay_${'6'.repeat(64)}`, payer: `0x${'9'.repeat(40)}` };
const AUDIT = {
  audited: 'maker',
  auditor: 'checker',
  performed_at: '2026-01-01T00:00:00.000Z',
  result_sha256: SHA,
  verdict: 'mixed',
  summary: 'Two findings.',
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
  const { passports } = deps;
  return auditAttestationTool({ trust: chain.trust, passports, clock: deps.clock });
}

async function notarize(over: object = {}, payer = PAID.payer) {
  const input = tool().input.parse({ ...AUDIT, ...over });
  tool().checkReady?.(input);
  const result = await tool().run(input, toolContext({ ...PAID, payer }).context);
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
    attests: expect.stringContaining('was shown this result'),
    does_not_attest: expect.stringContaining('did not run it'),
  });
  const words = `a claimed audit result, SHA-256 ${SHA.slice(0, 16)}…, claimed verdict mixed`;
  expect(text).toContain(words);
  expect(text).toContain('Not attested: that the audit took place');
  expect(text).not.toContain('audited itself');
});

test('it names who paid; a registered agent that did not pay has confirmed nothing', async () => {
  const { payload, text } = await notarize();
  expect(payload).toMatchObject({
    requested_by: PAID.payer,
    audited: { confirmed: false },
    auditor: { confirmed: false },
    basis: {
      payer: PAID.payer,
      claimed: [
        expect.stringContaining('"maker" is the audited agent; it did not confirm it'),
        expect.stringContaining('"checker" is the auditor; it did not confirm it'),
        expect.stringContaining('that the audit took place'),
      ],
    },
  });
  expect(text).toContain(`Claimed by ${PAID.payer}, who paid, and not verified: `);
});

test('the side that pays from its registered wallet confirms its own part, and no other', async () => {
  const { payload } = await notarize({ auditor: 'victim' }, WALLET);
  expect(payload).toMatchObject({
    requested_by: WALLET,
    audited: { confirmed: true },
    auditor: { confirmed: false },
    basis: { verified: expect.arrayContaining([expect.stringContaining('audited agent paid')]) },
  });
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
    is_self_audit: false,
    audited: { registered: false },
    auditor: { registered: false },
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
