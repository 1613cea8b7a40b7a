import { expect, test } from 'vitest';
import { createPassportHolders } from '../../../src/actors/audit/passport-holders.ts';
import { createWalletAuth } from '../../../src/actors/wallet/wallet-auth.ts';
import { AuditState } from '../../../src/domain/audit/state.ts';
import type { PassportView } from '../../../src/domain/passport/passport.ts';
import type { ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { type AuditLife, auditWorld, contentOf, TARGET } from '../../support/audits/audit-world.ts';
import { memoryNonces } from '../../support/memory-nonces.ts';
import {
  isSignedByKey,
  signingWallet,
  TEST_DOMAIN,
  TEST_ORIGIN,
} from '../../support/signing-wallet.ts';

const NAME = 'security_framework-audit';
const REGISTRY = `eip155:31337:0x${'a1'.repeat(20)}`;
const PASSPORT = `${REGISTRY}:7`;
const holder = signingWallet();
const stranger = signingWallet();

/** A world with a registry of one passport. */
async function passportWorld(changes: Partial<PassportView> = {}) {
  const world = await auditWorld();
  // Stands still: that of the world runs while signatures are made.
  const time = { now: world.clock.now() };
  const wallets = createWalletAuth({
    trust: { isSignedBy: isSignedByKey },
    domain: TEST_DOMAIN,
    origins: () => [TEST_ORIGIN],
    nonces: memoryNonces(),
    clock: { now: () => time.now },
  });
  const view = {
    name: 'auditee',
    agent_id: PASSPORT,
    status: 'active',
    custody: 'self',
    wallet: holder.address,
    owner: holder.address,
    ...changes,
  } as PassportView;
  const find = async (subject: string) =>
    [view.name, view.agent_id].includes(subject) ? view : undefined;
  world.holders = createPassportHolders({ wallets, passports: { find } });
  return { world, time, life: await world.life() };
}

/** Signs what the free answer names, and gives the arguments of the order. */
async function consented(
  { time, life }: { time: { readonly now: number }; life: AuditLife },
  o: { readonly by?: typeof holder; readonly passport?: string; readonly args?: object } = {},
) {
  const { by = holder, passport = PASSPORT, args = { target: TARGET } } = o;
  const { data } = contentOf(await life.call(NAME, args));
  const { or_passport } = data as { or_passport: Record<string, string> };
  const { sign_method: method = '', sign_path: path = '', sign_body: body = '' } = or_passport;
  const expiresAt = Math.floor(time.now / 1_000) + 200;
  const stoa_wallet = await by.header({ method, path, body }, { expiresAt });
  return { ...args, consent: { passport, stoa_wallet } };
}

function registration(...ids: readonly number[]): string {
  const registrations = ids.map((agentId) => ({ agentRegistry: REGISTRY, agentId }));
  return JSON.stringify({ name: 'Auditee', registrations });
}

function jobOf(outcome: ToolOutcome): string {
  const content = contentOf(outcome);
  expect(content).not.toHaveProperty('error');
  return AuditState.parse(content).job_id;
}

test('the holder of a passport that the origin names orders active probes', async () => {
  const { world, time, life } = await passportWorld();
  world.fake.registration = registration(3, 7);
  const told = await life.buy(NAME, await consented({ time, life }, { passport: 'auditee' }));
  const state = await life.ended(jobOf(told));
  expect(state).toMatchObject({ status: 'published', outcome: 'complete', mode: 'active' });
  const { payload } = await life.desk.read(state.audit_id);
  expect(payload.consent).toMatchObject({ kind: 'passport', ref: PASSPORT });
  const { proven_at, expires_at } = payload.consent ?? {};
  expect(Date.parse(expires_at ?? '') - Date.parse(proven_at ?? '')).toBe(3_600_000);
  expect(payload.probes.filter(({ mode }) => mode === 'active')[0]?.outcome).not.toBe('blocked');
  expect(world.books()).toEqual({ paid: 5_000_000n, refunded: 0n });
});

test('a passport alone permits passive probes only: the origin has to name it', async () => {
  const { world, time, life } = await passportWorld();
  for (const file of [undefined, registration(), registration(8), '{"registrations": 7}', 'no']) {
    world.fake.registration = file;
    const told = contentOf(await life.buy(NAME, await consented({ time, life })));
    expect(told).toMatchObject({ error: 'AUDIT_UNPROVEN' });
  }
  expect(world.books().paid).toBe(0n);
  const passive = { target: TARGET, mode: 'passive' };
  const state = await life.ended(jobOf(await life.buy(NAME, passive)));
  expect((await life.desk.read(state.audit_id)).payload.consent).toBeNull();
});

test.each([
  ['a stranger’s wallet', {}, { by: stranger }, 'AUDIT_UNPROVEN'],
  ['an unknown passport', {}, { passport: '9' }, 'AUDIT_UNPROVEN'],
  ['a revoked one', { status: 'revoked' }, {}, 'AUDIT_UNPROVEN'],
  [
    'the owner of one that another wallet acts for',
    { wallet: stranger.address },
    {},
    'AUDIT_UNPROVEN',
  ],
  ['one that is kept for nobody', { wallet: null, custody: 'operator' }, {}, 'AUDIT_UNPROVEN'],
] as const)('%s is no consent, and costs nothing', async (_name, changes, o, code) => {
  const { world, time, life } = await passportWorld(changes);
  world.fake.registration = registration(7);
  const told = contentOf(await life.buy(NAME, await consented({ time, life }, o)));
  expect(told['error']).toBe(code);
  expect(world.books().paid).toBe(0n);
  expect(world.fake.open).toBe(0);
});

test('a signature is for one target, plan and probe set, and for minutes', async () => {
  const { world, time, life } = await passportWorld();
  world.fake.registration = registration(7);
  const { consent } = await consented({ time, life });
  const other = { target: `${TARGET}/admin`, consent };
  expect(contentOf(await life.buy(NAME, other))['error']).toBe('WALLET_FORGED');
  const plan = await life.buy('security_enterprise-audit', { target: TARGET, consent });
  expect(contentOf(plan)['error']).toBe('WALLET_FORGED');
  time.now += 300_000;
  const late = await life.buy(NAME, { target: TARGET, consent });
  expect(contentOf(late)['error']).toBe('WALLET_EXPIRED');
  expect(world.books().paid).toBe(0n);
});

test('an origin that takes the passport out of its file ends the audit', async () => {
  const { world, time, life } = await passportWorld();
  world.fake.registration = registration(7);
  // The first listing comes after consent was proven, and before every look that follows.
  world.fake.onRequest = (method) => {
    if (method === 'tools/list') world.fake.registration = registration();
  };
  const state = await life.ended(jobOf(await life.buy(NAME, await consented({ time, life }))));
  expect(state).toMatchObject({ status: 'aborted', outcome: 'stopped' });
});

test('without a registry a passport is not taken, before any payment', async () => {
  const world = await auditWorld();
  const life = await world.life();
  const time = { now: world.clock.now() };
  const told = contentOf(await life.buy(NAME, await consented({ time, life })));
  expect(told['error']).toBe('NOT_CONFIGURED');
  expect(world.books().paid).toBe(0n);
});
