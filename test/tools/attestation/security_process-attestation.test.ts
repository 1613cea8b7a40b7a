import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processAttestationTool } from '../../../src/tools/attestation/security_process-attestation.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const SHA = 'd'.repeat(64);
const WALLET = `0x${'a'.repeat(40)}`;
const PAID = { paymentId: `pay_${'6'.repeat(64)}`, payer: `0x${'9'.repeat(40)}` };
let rig: LookRig;

beforeAll(() => {
  rig = lookRig();
  rig.register('maker', { wallet: WALLET });
});
afterAll(() => rig.close());

function tool() {
  const { chain, deps } = rig;
  const { passports } = deps;
  return processAttestationTool({ trust: chain.trust, passports, clock: deps.clock });
}

const build = { name: 'build', done_at: '2026-01-01T00:00:00.000Z', evidence_sha256: [SHA] };
const sign = { name: 'sign', done_at: '2026-01-02T00:00:00.000Z', evidence_sha256: [SHA, SHA] };

function claimOf(steps: readonly object[], required: readonly string[] = ['build', 'sign']) {
  const process = { name: 'release', version: '2', required_steps: required };
  return { process, performed_by: 'maker', steps };
}

async function attest(claim: object) {
  const result = await tool().run(tool().input.parse(claim), toolContext(PAID).context);
  tool().output.parse(result.structuredContent);
  expect(rig.isSigned(result.structuredContent)).toBe(true);
  const told = result.structuredContent as never as {
    readonly payload: { readonly findings: object; readonly performer: object };
    readonly proof: { readonly ref: string };
  };
  return { result, told };
}

test('a whole process is attested as shown, with its performer as the registry knows it', async () => {
  const { told, result } = await attest(claimOf([build, sign]));
  expect(told.payload).toMatchObject({
    attested_at: new Date(rig.deps.clock.now()).toISOString(),
    performer: { as_given: 'maker', registered: true, wallet: WALLET, confirmed: false },
    claim: { process: { name: 'release', version: '2' }, steps: [build, sign] },
    findings: {
      is_complete: true,
      missing_steps: [],
      is_in_order: true,
      steps_without_evidence: 0,
      is_in_the_past: true,
    },
    does_not_attest: expect.stringMatching(/^Not attested: that the steps took place/),
    requested_by: PAID.payer,
    basis: { claimed: [expect.stringContaining('did not confirm'), expect.anything()] },
  });
  expect(told.proof.ref).toMatch(/^stm_[0-9a-f]{64}$/);
  expect(textOf(result)).toContain('2 steps of release were shown; no required step is missing.');
});

test.each([
  ['missing', [build], { is_complete: false, missing_steps: ['sign'] }],
  ['skipped', [build, { ...sign, outcome: 'skipped' }], { missing_steps: ['sign'] }],
  ['failed', [build, { ...sign, outcome: 'failed' }], { missing_steps: ['sign'] }],
  ['out of order', [sign, build], { is_complete: true, is_in_order: false }],
  ['without evidence', [build, { ...sign, evidence_sha256: [] }], { steps_without_evidence: 1 }],
  [
    'in the future',
    [build, { ...sign, done_at: '2099-01-01T00:00:00Z' }],
    { is_in_the_past: false },
  ],
])('a step that is %s is found', async (_what, steps, found) => {
  expect((await attest(claimOf(steps))).told.payload.findings).toMatchObject(found);
});

test('a step can be shown alone: the root stands over all of them', async () => {
  const root = async (steps: readonly object[]) => {
    const { findings } = (await attest(claimOf(steps, []))).told.payload;
    return (findings as { readonly steps_root: string }).steps_root;
  };
  const step = { name: 'a', outcome: 'done', evidence_sha256: [] };
  const leaf = JSON.stringify({ evidence_sha256: [], name: 'a', outcome: 'done' });
  const hash = createHash('sha256').update(Buffer.concat([Buffer.from([0]), Buffer.from(leaf)]));
  expect(await root([step])).toBe(hash.digest('hex'));
  expect(await root([step, build])).not.toBe(await root([build, step]));
});

test('one that nobody registered is told as such, and is no fault', async () => {
  const { told, result } = await attest({ ...claimOf([build], []), performed_by: 'nobody' });
  expect(told.payload.performer).toMatchObject({ as_given: 'nobody', registered: false });
  expect(textOf(result)).toContain('nobody is not registered here');
});

test('what is malformed is refused by its shape, before a payment', () => {
  const wrong: readonly object[] = [
    {},
    claimOf([]),
    claimOf(Array.from({ length: 101 }, () => build)),
    claimOf([{ ...build, evidence_sha256: ['D'.repeat(64)] }]),
    claimOf([{ ...build, evidence_sha256: Array.from({ length: 17 }, () => SHA) }]),
    claimOf([{ ...build, done_at: 'yesterday' }]),
    claimOf([{ ...build, outcome: 'well' }]),
    claimOf([{ ...build, note: 'x'.repeat(501) }]),
    claimOf([{ ...build, more: 1 }]),
    { ...claimOf([build]), performed_by: 'two words' },
    { ...claimOf([build]), process: { name: '' } },
  ];
  for (const claim of wrong) {
    expect(tool().input.safeParse(claim).success, JSON.stringify(claim).slice(0, 80)).toBe(false);
  }
});

test('nothing is signed that was not paid for', async () => {
  const free = tool().run(tool().input.parse(claimOf([build])), toolContext().context);
  expect((await refusalOf(() => free)).code).toBe('INVARIANT');
});

test('it costs a quarter of a dollar, once it is done', () => {
  expect(tool().price).toEqual({ amount: '250000', flow: 'authorization' });
});
