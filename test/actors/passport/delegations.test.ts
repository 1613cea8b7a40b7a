import { afterEach, expect, test } from 'vitest';
import { DELEGATIONS, DelegationRegistry } from '../../../src/actors/passport/delegations.ts';
import type { AppError } from '../../../src/domain/common/error.ts';
import { DAY_MS } from '../../../src/domain/common/time.ts';
import { parseEventData } from '../../../src/domain/event/catalog.ts';
import {
  buildDelegationTypedData,
  type Delegation,
} from '../../../src/domain/passport/delegation.ts';
import {
  callBy,
  delegationOf,
  type PassportProcess,
  type PassportWorld,
  passportOrder,
  passportWorld,
  wallet,
} from '../../support/passport-world.ts';
import { soon } from '../../support/proof-rig.ts';
import { proves } from '../../support/proves.ts';
import { type SigningWallet, TEST_ORIGIN } from '../../support/signing-wallet.ts';

const worlds: PassportWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

function begin(): PassportWorld {
  const world = passportWorld();
  worlds.push(world);
  return world;
}

async function grant(
  { delegations }: PassportProcess,
  from: SigningWallet,
  overrides: Partial<Delegation> = {},
) {
  const delegation = delegationOf({ delegator: from.address, ...overrides });
  const signature = await from.sign(buildDelegationTypedData(delegation, 31_337));
  return delegations.grant(delegation, signature);
}

async function refusal(promise: Promise<unknown>): Promise<AppError> {
  return promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (thrown: AppError) => thrown,
  );
}

test('a chain of three holds, is read whole, and leaves its proofs', async () => {
  proves('C2.t8.c2');
  const world = begin();
  const process = await world.start();
  const [root, middle, last] = [wallet(), wallet(), wallet()];
  const first = await grant(process, root, { delegate: middle.address, depth: 2 });
  const second = await grant(process, middle, {
    delegate: last.address,
    scope: ['research.deep'],
    depth: 1,
    parent_id: first.delegation_id,
  });
  await soon(() => world.logs.log.size === 2);
  const chain = await process.delegations.verifyChain(second.delegation_id);
  expect(chain).toMatchObject({
    is_valid: true,
    faults: [],
    delegator: root.address,
    delegate: last.address,
    scope: ['research.deep'],
    links: [
      { delegation_id: first.delegation_id, status: 'active', proof_seq: 0 },
      { delegation_id: second.delegation_id, status: 'active', proof_seq: 1 },
    ],
  });
  const [record] = world.logs.log.find(first.delegation_id, 9);
  expect(record).toMatchObject({ kind: 30014, kind_name: 'ProofOfDelegation' });
  expect(world.logs.log.payload(0)?.payload).toMatchObject({
    delegation: { delegator: root.address },
  });
  const [event] = world.logs.events.about(root.address, 0, 9);
  expect(event && parseEventData(event, 'delegation.granted')).toMatchObject({
    scope: ['research.*'],
  });
});

test('whoever takes a link back takes everything below with it', async () => {
  const world = begin();
  const process = await world.start();
  const [root, middle, last] = [wallet(), wallet(), wallet()];
  const first = await grant(process, root, { delegate: middle.address });
  const second = await grant(process, middle, {
    delegate: last.address,
    depth: 0,
    parent_id: first.delegation_id,
  });
  const { delegations } = process;
  const by = callBy(root.address);
  await delegations.revoke(first.delegation_id, 'the project is over', by);
  const chain = await delegations.verifyChain(second.delegation_id);
  expect(chain).toMatchObject({
    is_valid: false,
    faults: [{ rule: 'not_revoked', delegation_id: first.delegation_id }],
    links: [{ status: 'revoked' }, { status: 'revoked' }],
  });
  expect(await delegations.listByWallet(last.address)).toMatchObject([
    { delegation_id: second.delegation_id, status: 'revoked' },
  ]);
  const again = await delegations.revoke(first.delegation_id, 'again', callBy(root.address));
  expect(again.links[0]?.revoked?.reason).toBe('the project is over');
  await soon(() => world.logs.log.size === 3);
  expect(world.logs.log.find(first.delegation_id, 9).map(({ kind }) => kind)).toEqual([
    30014, 30024,
  ]);
});

test('the same one again is the same one, and it is there after a restart', async () => {
  const world = begin();
  const process = await world.start();
  const [root, other] = [wallet(), wallet()];
  const delegation = delegationOf({ delegator: root.address, delegate: other.address });
  const signature = await root.sign(buildDelegationTypedData(delegation, 31_337));
  const one = await process.delegations.grant(delegation, signature);
  expect(await process.delegations.grant(delegation, signature)).toMatchObject({
    delegation_id: one.delegation_id,
  });
  const next = await world.start();
  expect(await next.delegations.listByWallet(other.address)).toHaveLength(1);
  expect(await next.delegations.listByWallet(root.address)).toHaveLength(1);
});

test('a passport shows what its wallet has given and been given', async () => {
  const world = begin();
  const process = await world.start();
  const [agent, other] = [wallet(), wallet()];
  const order = passportOrder(agent.address);
  await world.drive(process.registrar.mint(order, callBy(agent.address)));
  const { delegation_id } = await grant(process, agent, { delegate: other.address });
  expect((await process.passports.find('alpha'))?.delegations).toMatchObject([
    { delegation_id, delegator: agent.address, status: 'active', depth_left: 3 },
  ]);
});

test('it ends when its time is over', async () => {
  const world = begin();
  const process = await world.start();
  const [root, other] = [wallet(), wallet()];
  const { delegation_id } = await grant(process, root, { delegate: other.address });
  await world.clock.advance(DAY_MS);
  const chain = await process.delegations.verifyChain(delegation_id);
  expect(chain).toMatchObject({ is_valid: false, links: [{ status: 'expired' }] });
  const late = process.delegations.revoke(delegation_id, 'late', callBy(root.address));
  expect((await refusal(late)).code).toBe('MOVE_UNAVAILABLE');
});

test('a signature of another wallet, or over other words', async () => {
  const process = await begin().start();
  const [root, other] = [wallet(), wallet()];
  const delegation = delegationOf({ delegator: root.address, delegate: other.address });
  const forged = await other.sign(buildDelegationTypedData(delegation, 31_337));
  const elsewhere = await root.sign(buildDelegationTypedData(delegation, 1));
  const wider = await root.sign(buildDelegationTypedData({ ...delegation, scope: ['*'] }, 31_337));
  for (const signature of [forged, elsewhere, wider]) {
    const refused = await refusal(process.delegations.grant(delegation, signature));
    expect(refused.code).toBe('WALLET_FORGED');
  }
  expect(await process.delegations.listByWallet(root.address)).toEqual([]);
});

test.each([
  ['another server', 'https://other.example'],
  ['no server, as before', undefined],
])('a delegation that is given at %s has no force here', async (_, origin) => {
  const process = await begin().start();
  const root = wallet();
  const delegation = delegationOf({ delegator: root.address, origin });
  const signature = await root.sign(buildDelegationTypedData(delegation, 31_337));
  const refused = await refusal(process.delegations.grant(delegation, signature));
  expect(refused.code).toBe('WALLET_ORIGIN');
  expect(refused.data).toMatchObject({
    received: origin ?? null,
    allowed: { origin: [TEST_ORIGIN] },
  });
  const lying = { ...delegation, origin: TEST_ORIGIN };
  expect((await refusal(process.delegations.grant(lying, signature))).code).toBe('WALLET_FORGED');
});

test('a link that widens, outlives or is not its own to give, with each broken rule', async () => {
  const world = begin();
  const process = await world.start();
  const [root, middle, last] = [wallet(), wallet(), wallet()];
  const first = await grant(process, root, { delegate: middle.address, depth: 1 });
  const refused = await refusal(
    grant(process, last, {
      delegate: root.address,
      scope: ['*'],
      depth: 1,
      expires_at: '2026-02-01T00:00:00Z',
      parent_id: first.delegation_id,
    }),
  );
  expect(refused.code).toBe('DELEGATION_INVALID');
  const broken = refused.data['broken'] as readonly { readonly rule: string }[];
  expect(broken.map(({ rule }) => rule)).toEqual([
    'handed_on_by_its_delegate',
    'narrows_scope',
    'within_parent_life',
    'depth_decreases',
  ]);
  expect(await process.delegations.listByWallet(last.address)).toEqual([]);
});

test('a delegation that lives too long, and one that is over', async () => {
  const process = await begin().start();
  const root = wallet();
  const long = grant(process, root, { expires_at: '2028-01-01T00:00:00Z' });
  expect((await refusal(long)).code).toBe('INPUT_INVALID');
  const over = grant(process, root, { expires_at: '2025-01-01T00:00:00Z' });
  expect((await refusal(over)).code).toBe('DELEGATION_INVALID');
});

test('nobody else takes a delegation back', async () => {
  const process = await begin().start();
  const [root, other] = [wallet(), wallet()];
  const { delegation_id } = await grant(process, root, { delegate: other.address });
  const { delegations } = process;
  const attempt = delegations.revoke(delegation_id, 'mine now', callBy(other.address));
  expect((await refusal(attempt)).code).toBe('NOT_THE_PARTY');
  expect((await delegations.verifyChain(delegation_id)).is_valid).toBe(true);
  const nothing = delegations.verifyChain(`dlg_${'0'.repeat(64)}`);
  expect((await refusal(nothing)).code).toBe('DELEGATION_UNKNOWN');
});

test.each([
  ['never paid', 0, DELEGATIONS.newTotalMax],
  ['paid', 1, DELEGATIONS.totalMax],
])(
  'above the bound of all for a wallet that %s, no further delegation is kept',
  async (_, paid, bound) => {
    const world = begin();
    const { delegations } = await world.start();
    const [from, index] = [wallet(), world.index()];
    await grant({ delegations } as PassportProcess, from);
    expect(index.delegationCount()).toBe(1);
    let count = bound;
    const full = new DelegationRegistry({
      engine: (await world.start()).engine,
      chain: world.chain,
      trust: { ...world.chain.trust, countPaidCalls: () => paid },
      proofs: world.logs.log,
      clock: world.clock,
      origins: () => [TEST_ORIGIN],
      index: { ...index, delegationCount: () => count },
    });
    const asked = () => grant({ delegations: full } as PassportProcess, from, { depth: 1 });
    expect(await refusal(asked())).toMatchObject({ code: 'OVERLOADED', data: { allowed: bound } });
    expect(index.delegationCount()).toBe(1);
    count = bound - 1;
    expect((await asked()).is_valid).toBe(true);
  },
);

test.each([0, 1, 3])(
  'a wallet with %i settled payments gives so many delegations',
  async (paid) => {
    const world = begin();
    const { engine } = await world.start();
    const from = wallet();
    const bound = DELEGATIONS.newPerWalletMax * (1 + paid);
    let given = bound - 1;
    const index = world.index();
    const book = new DelegationRegistry({
      engine,
      chain: world.chain,
      proofs: world.logs.log,
      clock: world.clock,
      origins: () => [TEST_ORIGIN],
      trust: { ...world.chain.trust, countPaidCalls: () => paid },
      index: {
        ...index,
        listGrantedBy: (_, limit) => Array.from({ length: Math.min(given, limit) }, String),
      },
    });
    await grant({ delegations: book } as PassportProcess, from);
    given = bound;
    expect(
      await refusal(grant({ delegations: book } as PassportProcess, from, { depth: 1 })),
    ).toMatchObject({
      code: 'FORBIDDEN',
      data: { received: bound + 1, allowed: bound, settled_payments: paid },
    });
  },
);
