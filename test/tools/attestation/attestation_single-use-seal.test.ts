import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealTool } from '../../../src/tools/attestation/attestation_single-use-seal.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { paymentIdOf, type SealWorld, sealWorld } from '../../support/seal-world.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const SHA = 'd'.repeat(64);
const WALLET = `0x${'a'.repeat(40)}`;
/** Who pays; in these tests it is not the agent. */
const PAYER = `0x${'9'.repeat(40)}`;
const SEAL = `seal_${'1'.repeat(64)}`;
let rig: LookRig;
let world: SealWorld;
let payments = 0;
const blobs = { get: () => undefined, put: () => Promise.reject(new Error('nothing is stored')) };

beforeAll(async () => {
  rig = lookRig();
  world = await sealWorld();
  rig.register('maker', { wallet: WALLET });
});
afterAll(async () => {
  await world.close();
  await rig.close();
});

function tool() {
  const { chain, deps } = rig;
  const { passports } = deps;
  return sealTool({ trust: chain.trust, passports, clock: deps.clock, seals: world.seals, blobs });
}

async function call(input: object, payer = PAYER) {
  const given = tool().input.parse(input);
  tool().checkReady?.(given);
  payments += 1;
  const { context } = toolContext({ paymentId: paymentIdOf(payments), payer });
  const stored = await tool().run(given, context);
  const result = (await tool().finish?.(given, context, stored)) ?? stored;
  const { structuredContent } = result;
  tool().output.parse(structuredContent);
  expect(rig.isSigned(structuredContent)).toBe(true);
  return { result, told: structuredContent as never as Told };
}

interface Told {
  readonly capability: string;
  readonly payload: { readonly seal_id: string; readonly state: string };
}

test('issue names the agent as the registry knows it; check and redeem follow', async () => {
  const { told, result } = await call({ action: 'issue', deliverable_sha256: SHA, agent: 'maker' });
  expect(textOf(result)).toContain(told.capability);
  expect(told).toMatchObject({
    capability: expect.stringMatching(/^cap_[0-9a-f]{64}$/),
    payload: { state: 'issued', agent: { as_given: 'maker', wallet: WALLET }, redeemed: null },
  });
  const { seal_id } = told.payload;
  expect((await call({ action: 'check', seal_id })).told.payload.state).toBe('issued');
  const { capability } = told;
  const use = { action: 'redeem', seal_id, capability, deliverable_sha256: SHA };
  expect((await call(use)).told.payload).toMatchObject({
    state: 'redeemed',
    redeemed: { deliverable_sha256: SHA },
  });
  expect(await refusalOf(() => call(use))).toMatchObject({ code: 'SEAL_USED' });
  const { payload } = (await call({ action: 'check', seal_id })).told;
  expect(payload).toMatchObject({ state: 'redeemed', refused_uses: 1 });
  expect(JSON.stringify(await call({ action: 'check', seal_id }))).not.toContain(capability);
});

test.each(['issue', 'check', 'redeem'] as const)(
  'the answer of %s names who paid, and marks an agent that the payer only claims',
  async (action) => {
    const { told } = await call({ action: 'issue', deliverable_sha256: SHA, agent: 'maker' });
    const { seal_id } = told.payload;
    const use = { action: 'redeem', seal_id, capability: told.capability, deliverable_sha256: SHA };
    const other = `0x${'7'.repeat(40)}`;
    const asked = action === 'check' ? { action, seal_id } : use;
    const { result, told: said } =
      action === 'issue'
        ? await call({ action, deliverable_sha256: SHA, agent: 'maker' })
        : await call(asked, other);
    expect(said.payload).toMatchObject({
      issued_to: PAYER,
      requested_by: action === 'issue' ? PAYER : other,
      agent: { confirmed: false },
      basis: { claimed: [expect.stringContaining(`${PAYER} claims that maker produced it`)] },
    });
    expect(textOf(result)).toContain('maker did not confirm it. This is not verified.');
  },
);

test('a seal that the agent itself paid for is confirmed, by name and by wallet', async () => {
  for (const agent of ['maker', WALLET]) {
    const { told } = await call({ action: 'issue', deliverable_sha256: SHA, agent }, WALLET);
    expect(told.payload).toMatchObject({ agent: { confirmed: true }, basis: { claimed: [] } });
  }
});

test('each action takes its own members: anything else is refused before a payment', async () => {
  const wrong: readonly object[] = [
    { action: 'issue' },
    { action: 'issue', deliverable_sha256: SHA },
    { action: 'issue', deliverable_sha256: SHA, agent: 'maker', seal_id: SEAL },
    { action: 'redeem', seal_id: SEAL, deliverable_sha256: SHA },
    { action: 'check' },
    { action: 'check', seal_id: SEAL, capability: 'x' },
  ];
  for (const input of wrong) {
    const error = await refusalOf(() => tool().checkReady?.(tool().input.parse(input)));
    expect(error, JSON.stringify(input)).toMatchObject({
      code: 'INPUT_INVALID',
      data: { received: expect.any(Array), allowed: expect.any(Array) },
    });
  }
  const malformed: readonly object[] = [
    { action: 'melt' },
    { action: 'issue', deliverable_sha256: 'D'.repeat(64), agent: 'maker' },
    { action: 'issue', deliverable_sha256: SHA, agent: 'x'.repeat(201) },
    { action: 'issue', deliverable_sha256: SHA, agent: 'two words' },
    { action: 'check', seal_id: 'seal_1' },
    { action: 'check', seal_id: SEAL, more: 1 },
  ];
  for (const input of malformed) {
    expect(tool().input.safeParse(input).success, JSON.stringify(input)).toBe(false);
  }
});

test('a seal that nobody has, and a wrong capability, are refused', async () => {
  const unknown = { action: 'check', seal_id: SEAL };
  expect((await refusalOf(() => call(unknown))).code).toBe('SEAL_UNKNOWN');
  const { told } = await call({ action: 'issue', deliverable_sha256: SHA, agent: 'maker' });
  const { seal_id } = told.payload;
  const guess = { action: 'redeem', seal_id, capability: 'cap_x', deliverable_sha256: SHA };
  expect((await refusalOf(() => call(guess))).code).toBe('FORBIDDEN');
});

test('it costs five cents, once it is done', () => {
  expect(tool().price).toEqual({ amount: '50000', flow: 'authorization' });
});
