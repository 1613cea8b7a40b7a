import { afterEach, expect, test } from 'vitest';
import { PASSPORT_LIMITS } from '../../../src/actors/passport/limits.ts';
import type { AppError } from '../../../src/domain/common/error.ts';
import { hashJson } from '../../../src/domain/common/hash.ts';
import { parseEventData } from '../../../src/domain/event/catalog.ts';
import {
  BASE_URL,
  callBy,
  type PassportProcess,
  type PassportWorld,
  passportOrder,
  passportWorld,
  wallet,
} from '../../support/passport-world.ts';
import { soon } from '../../support/proof-rig.ts';
import { proves } from '../../support/proves.ts';
import type { SigningWallet } from '../../support/signing-wallet.ts';

const worlds: PassportWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

function begin(): PassportWorld {
  const world = passportWorld();
  worlds.push(world);
  return world;
}

async function mint(world: PassportWorld, process: PassportProcess, agent: SigningWallet) {
  const order = passportOrder(agent.address);
  const minted = await world.drive(process.registrar.mint(order, callBy(agent.address)));
  if (minted.view === undefined) throw new Error('it is still being minted');
  return minted;
}

async function bind(world: PassportWorld, process: PassportProcess, agent: SigningWallet) {
  const request = await process.registrar.walletRequest('alpha');
  const signature = await agent.sign(request);
  const deadline = Number(request.message['deadline']);
  return world.drive(process.registrar.bind('alpha', { deadline, signature }));
}

async function refusal(promise: Promise<unknown>): Promise<AppError> {
  return promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (thrown: AppError) => thrown,
  );
}

test('minted free of charge into custody, bound by its wallet, claimed, revoked', async () => {
  proves('C2.t1.c1', 'C2.t1.c2', 'C2.t1.c3', 'C2.t1.c4', 'C2.t1.c5');
  const world = begin();
  const process = await world.start();
  const agent = wallet();
  const { view } = await mint(world, process, agent);
  const { agentRegistry } = world.chain.trust.identity;
  expect(view).toMatchObject({
    name: 'alpha',
    agent_id: `${agentRegistry}:0`,
    erc8004: {
      agent_registry: agentRegistry,
      id: '0',
      agent_uri: `${BASE_URL}/a2a/passport/alpha/registration.json`,
    },
    operator_id: agent.address,
    agent_class: 'research',
    wallet: null,
    owner: world.chain.trust.operator,
    custody: 'operator',
    registered_at: expect.stringMatching(/^2026-01-01T00:/),
    registration_tx: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    status: 'active',
    revoked: null,
    delegations: [],
  });
  expect(world.chain.ledger.transfers).toEqual([]);

  const bound = await bind(world, process, agent);
  expect(bound.view).toMatchObject({ wallet: agent.address, custody: 'operator' });

  const claimed = await world.drive(process.registrar.claim('alpha', callBy(agent.address)));
  expect(claimed.view).toMatchObject({ owner: agent.address, custody: 'self', wallet: null });

  const by = callBy(agent.address);
  const { view: last } = await process.registrar.revoke('alpha', 'the key was lost', by);
  expect(last).toMatchObject({
    status: 'revoked',
    revoked: { at: expect.stringMatching(/^2026-01-01T00:/), reason: 'the key was lost' },
  });
  expect((await process.registrar.revoke('alpha', 'once more', by)).view).toEqual(last);
});

test('it is found by name, number, full id and bound wallet, and by nothing else', async () => {
  proves('C2.t1.c6');
  const world = begin();
  const process = await world.start();
  const agent = wallet();
  const { view } = await mint(world, process, agent);
  expect(await process.passports.find(agent.address)).toBeUndefined();
  const bound = await bind(world, process, agent);
  const checksummed = agent.account.address;
  for (const subject of ['alpha', '0', view.agent_id, agent.address, checksummed]) {
    expect(await process.passports.find(subject)).toEqual(bound.view);
  }
  const others = [
    'beta',
    '1',
    'Alpha',
    '',
    '../alpha',
    view.agent_id.replace('eip155:31337', 'eip155:1'),
    `0x${'1'.repeat(40)}`,
  ];
  for (const subject of others) expect(await process.passports.find(subject)).toBeUndefined();
});

test('an owner who moves on by itself is seen at the next reading', async () => {
  const world = begin();
  const process = await world.start();
  const agent = wallet();
  await mint(world, process, agent);
  await world.drive(process.registrar.claim('alpha', callBy(agent.address)));
  const next = wallet();
  const own = world.chain.ledger.contracts.agents.get('0');
  if (own === undefined) throw new Error('the agent is not on the chain');
  world.chain.ledger.contracts.agents.set('0', {
    ...own,
    owner: next.address,
    wallet: next.address,
  });
  expect(await process.passports.find('alpha')).toMatchObject({
    owner: next.address,
    wallet: next.address,
    custody: 'self',
  });
  expect(await process.passports.find(next.address)).toMatchObject({ name: 'alpha' });
  const refused = await refusal(
    process.registrar.revoke('alpha', 'not mine', callBy(agent.address)),
  );
  expect(refused.code).toBe('NOT_THE_PARTY');
  expect(refused.data).toEqual({
    received: agent.address,
    allowed: [next.address, next.address],
  });
});

test('each step leaves its proof and its public event', async () => {
  const world = begin();
  const process = await world.start();
  const agent = wallet();
  await mint(world, process, agent);
  await bind(world, process, agent);
  await world.drive(process.registrar.claim('alpha', callBy(agent.address)));
  await process.registrar.revoke('alpha', 'done', callBy(agent.address));
  const { log, events } = world.logs;
  await soon(() => events.size === 4 && log.size === 3);
  expect(log.find('passport:alpha', 9).map(({ kind }) => kind)).toEqual([30010, 30012, 30024]);
  const told = events.about(agent.address, 0, 9);
  expect(told.map(({ type }) => type)).toEqual([
    'passport.minted',
    'passport.wallet_bound',
    'passport.claimed',
    'passport.revoked',
  ]);
  for (const event of told) {
    expect(event).toMatchObject({ ref: 'passport:alpha' });
    expect(parseEventData(event, event.type as 'passport.minted')).toBeDefined();
  }
  expect(events.about('agent:0', 0, 9)).toHaveLength(4);
});

test('its document is hashed and signed over all that it says', async () => {
  const world = begin();
  const process = await world.start();
  const agent = wallet();
  await mint(world, process, agent);
  await soon(() => world.logs.log.size === 1);
  const document = await process.documents.document('alpha');
  if (document === undefined) throw new Error('it has a document');
  const { passport_hash, signature, verify, ...body } = document;
  expect(passport_hash).toBe(hashJson(body));
  expect(signature).toMatchObject({
    kind: 'passport',
    payload_hash: passport_hash,
    signature: { alg: 'eip712', signer: world.chain.facts.treasury.toLowerCase() },
  });
  expect(verify.steps).toHaveLength(4);
  expect(body).toMatchObject({
    reputation: { score: 0, badge: 'none', settled_jobs: 0, source: 'settled_jobs' },
    proofs: { count: 1, by_kind: { ProofOfPresence: 1 } },
    registration: {
      type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
      name: 'alpha',
      active: true,
      registrations: [{ agentId: 0, agentRegistry: world.chain.trust.identity.agentRegistry }],
    },
  });
  expect(await process.documents.document('beta')).toBeUndefined();
});

test('a name that is taken says whose it is, and the first one keeps it', async () => {
  const world = begin();
  const process = await world.start();
  const [agent, other] = [wallet(), wallet()];
  const { view } = await mint(world, process, agent);
  const order = passportOrder(other.address);
  const refused = await refusal(process.registrar.mint(order, callBy(other.address)));
  expect(refused.code).toBe('NAME_TAKEN');
  expect(refused.data).toEqual({ received: 'alpha', taken_by: agent.address });
  expect(await process.passports.find('alpha')).toEqual(view);
  const own = passportOrder(other.address, { name: 'stoa' });
  expect((await refusal(process.registrar.mint(own, callBy(other.address)))).code).toBe(
    'NAME_TAKEN',
  );
});

test('of many who ask for one name at once, one gets it', async () => {
  const world = begin();
  const process = await world.start();
  const agents = Array.from({ length: 8 }, () => wallet());
  const asked = agents.map(({ address }) =>
    process.registrar.mint(passportOrder(address), callBy(address)).then(
      () => 'minted',
      ({ code }: AppError) => code,
    ),
  );
  const answers = await world.drive(Promise.all(asked));
  expect(answers.filter((answer) => answer === 'minted')).toHaveLength(1);
  expect(answers.filter((answer) => answer === 'NAME_TAKEN')).toHaveLength(7);
  expect(world.chain.ledger.contracts.agents.size).toBe(1);
});

test('the same signed call again gives the same passport', async () => {
  const world = begin();
  const process = await world.start();
  const { address } = wallet();
  const by = callBy(address);
  const one = await world.drive(process.registrar.mint(passportOrder(address), by));
  const two = await world.drive(process.registrar.mint(passportOrder(address), by));
  expect(two.view).toEqual(one.view);
  expect(world.chain.ledger.contracts.agents.size).toBe(1);
});

test('nobody asks, claims or revokes for another wallet', async () => {
  const world = begin();
  const process = await world.start();
  const [agent, other] = [wallet(), wallet()];
  const { view } = await mint(world, process, agent);
  const by = callBy(other.address);
  const { registrar } = process;
  const tries = [
    registrar.mint(passportOrder(agent.address, { name: 'beta' }), by),
    registrar.claim('alpha', by),
    registrar.revoke('alpha', 'spite', by),
  ];
  for (const attempt of tries) expect((await refusal(attempt)).code).toBe('NOT_THE_PARTY');
  expect(await process.passports.find('alpha')).toEqual(view);
});

test('a wallet binds itself in time and by its own signature only', async () => {
  const world = begin();
  const process = await world.start();
  const [agent, other] = [wallet(), wallet()];
  await mint(world, process, agent);
  const { registrar } = process;
  const request = await registrar.walletRequest('alpha');
  const deadline = Number(request.message['deadline']);
  const signature = await agent.sign(request);
  const forged = await other.sign(request);
  const codes = [
    registrar.bind('alpha', { deadline, signature: forged }),
    registrar.bind('alpha', { deadline: deadline - 1, signature }),
    registrar.bind('alpha', { deadline: deadline - 600, signature }),
    registrar.bind('alpha', { deadline: deadline + 600, signature }),
    registrar.bind('beta', { deadline, signature }),
  ].map(async (attempt) => (await refusal(attempt)).code);
  expect(await Promise.all(codes)).toEqual([
    'WALLET_FORGED',
    'WALLET_FORGED',
    'WALLET_EXPIRED',
    'WALLET_EXPIRED',
    'PASSPORT_UNKNOWN',
  ]);
  expect((await process.passports.find('alpha'))?.wallet).toBeNull();
  const bound = await world.drive(registrar.bind('alpha', { deadline, signature }));
  const again = await world.drive(registrar.bind('alpha', { deadline, signature }));
  expect(again.view).toEqual(bound.view);
});

test('what has been revoked or claimed takes no move of custody', async () => {
  const world = begin();
  const process = await world.start();
  const agent = wallet();
  await mint(world, process, agent);
  const { registrar } = process;
  await world.drive(registrar.claim('alpha', callBy(agent.address)));
  const late = await refusal(registrar.walletRequest('alpha'));
  expect(late).toMatchObject({
    code: 'MOVE_UNAVAILABLE',
    data: { received: 'self', custody: 'self' },
  });
  await registrar.revoke('alpha', 'enough', callBy(agent.address));
  const twice = await refusal(registrar.revoke('alpha', 'again', callBy(agent.address)));
  expect(twice).toMatchObject({ code: 'MOVE_UNAVAILABLE', data: { received: 'revoked' } });
});

test('a budget of gas that is used up refuses, and leaves the name free', async () => {
  const world = begin();
  const process = await world.start();
  const [agent, other] = [wallet(), wallet()];
  world.chain.trust.faults.isGasSpent = true;
  const asked = process.registrar.mint(passportOrder(agent.address), callBy(agent.address));
  expect((await refusal(world.drive(asked))).code).toBe('GAS_BUDGET');
  expect(await process.passports.find('alpha')).toBeUndefined();
  world.chain.trust.faults.isGasSpent = false;
  const { view } = await mint(world, process, other);
  expect(view.operator_id).toBe(other.address);
});

test('nobody takes the name of another agent, or of the service, as its operator id', async () => {
  const world = begin();
  const process = await world.start();
  const [agent, other] = [wallet(), wallet()];
  await mint(world, process, agent);
  for (const operator_id of ['alpha', 'ALPHA', 'stoa', 'Stoa']) {
    const order = passportOrder(other.address, { name: 'beta', operator_id });
    const refused = await refusal(process.registrar.mint(order, callBy(other.address)));
    expect(refused).toMatchObject({
      code: 'INPUT_INVALID',
      data: { path: 'operator_id', received: operator_id },
    });
  }
  const own = passportOrder(agent.address, { name: 'gamma', operator_id: 'alpha' });
  const minted = await world.drive(process.registrar.mint(own, callBy(agent.address)));
  expect(minted.view?.operator_id).toBe('alpha');
});

test('a wallet gets no more passports than its bound', async () => {
  const world = begin();
  const process = await world.start();
  const { address } = wallet();
  for (let count = 0; count < PASSPORT_LIMITS.perWalletMax; count += 1) {
    const order = passportOrder(address, { name: `agent-${count}` });
    await world.drive(process.registrar.mint(order, callBy(address)));
  }
  const refused = await refusal(process.registrar.mint(passportOrder(address), callBy(address)));
  expect(refused).toMatchObject({ code: 'FORBIDDEN', data: { received: 21, allowed: 20 } });
  expect(world.chain.ledger.contracts.agents.size).toBe(PASSPORT_LIMITS.perWalletMax);
});

test('is minted behind the start on the local chain, once over all starts', async () => {
  const world = begin();
  const first = await world.start({ isLocalChain: true });
  expect(first.own.id()).toBeUndefined();
  await world.drive(soon(() => first.own.id() !== undefined));
  const own = `${world.chain.trust.identity.agentRegistry}:0`;
  expect(first.own.id()).toBe(own);
  const second = await world.start({ isLocalChain: true });
  expect(second.own.id()).toBe(own);
  expect(world.chain.ledger.contracts.agents.size).toBe(1);
});

test('a server runs under a given one only when that is on the chain', async () => {
  const world = begin();
  for (const passportId of [
    '0',
    'alpha',
    'eip155:1:0x0000000000000000000000000000000000008004:0',
  ]) {
    const refused = await refusal(world.start({ passportId }));
    expect(refused.code).toBe('CONFIG_INVALID');
    expect(refused.message).toContain('STOA_PASSPORT_ID');
  }
  await mint(world, await world.start(), wallet());
  const process = await world.start({ passportId: '0', isLocalChain: true });
  expect(process.own.id()).toBe(`${world.chain.trust.identity.agentRegistry}:0`);
  expect(world.chain.ledger.contracts.agents.size).toBe(1);
});
