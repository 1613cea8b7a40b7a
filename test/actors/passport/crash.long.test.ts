import { afterEach, describe, expect, test } from 'vitest';
import type { TrustChain } from '../../../src/domain/chain/trust-chain.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { WalletCall } from '../../../src/domain/escrow/work-board.ts';
import type { Death, Life } from '../../support/mortal.ts';
import {
  callBy,
  type PassportProcess,
  type PassportWorld,
  passportOrder,
  passportWorld,
  wallet,
} from '../../support/passport-world.ts';
import { soon } from '../../support/proof-rig.ts';
import type { SigningWallet } from '../../support/signing-wallet.ts';

const worlds: PassportWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Calls that change the chain, each a step at which a process may die. */
function mortal(trust: TrustChain, life: Life): TrustChain {
  const { identity } = trust;
  return {
    ...trust,
    identity: {
      ...identity,
      register: (order) => life.step(() => identity.register(order)),
      setWallet: (order) => life.step(() => identity.setWallet(order)),
      transfer: (agentId, to) => life.step(() => identity.transfer(agentId, to)),
    },
  };
}

interface Calls {
  readonly agent: SigningWallet;
  readonly mint: WalletCall;
  readonly claim: WalletCall;
}

/** Mints, binds and claims, as a client does that repeats what it got no answer to. */
async function live({ registrar }: PassportProcess, { agent, mint, claim }: Calls): Promise<void> {
  const { state } = await registrar.mint(passportOrder(agent.address), mint);
  if (state === 'custodial') {
    const request = await registrar.walletRequest('alpha');
    const deadline = Number(request.message['deadline']);
    await registrar.bind('alpha', { deadline, signature: await agent.sign(request) });
  }
  await registrar.claim('alpha', claim);
}

async function playOver(death: Death): Promise<number> {
  const world = passportWorld();
  worlds.push(world);
  const agent = wallet();
  const calls = { agent, mint: callBy(agent.address), claim: callBy(agent.address) };
  const first = await world.start({ death, wrap: mortal });
  const ended = live(first, calls).catch(() => undefined);
  await world.drive(Promise.race([ended, first.life.over]));
  const steps = first.life.steps;
  first.life.die();
  await first.projector.stop();
  const second = await world.start();
  await world.drive(settled(second));
  await world.drive(live(second, calls));
  const { agents } = world.chain.ledger.contracts;
  expect([...agents.keys()], JSON.stringify(death)).toEqual(['0']);
  expect(agents.get('0')).toMatchObject({ owner: agent.address, wallet: null });
  const { log, events } = world.logs;
  await soon(() => events.size === 3 && log.size === 2);
  expect(events.read(0, 9).map(({ type }) => type)).toEqual([
    'passport.minted',
    'passport.wallet_bound',
    'passport.claimed',
  ]);
  return steps;
}

/** A passport that was at work when the process died comes to rest by itself. */
async function settled({ engine }: PassportProcess): Promise<void> {
  const isAtRest = async () => {
    const { rows } = await engine.list({ kind: 'passport' });
    return rows.every(({ state }) => ['custodial', 'self', 'refused'].includes(state));
  };
  while (!(await isAtRest())) await new Promise((done) => setTimeout(done, 5));
}

test('a process that is killed at any commit or chain call mints, binds and hands over once', {
  timeout: 120_000,
}, async () => {
  const steps = await playOver({ at: 1_000, when: 'before' });
  expect(steps).toBeGreaterThan(8);
  for (let at = 1; at <= steps; at += 1) {
    for (const when of ['before', 'after'] as const) await playOver({ at, when });
  }
});

describe('an outcome that is not known', () => {
  test.each([
    ['late', 1],
    ['lost', 1],
    ['lost', 3],
  ] as const)('is asked again until the chain says: %s, %d times', async (fate, times) => {
    const world = passportWorld();
    worlds.push(world);
    const process = await world.start();
    const agent = wallet();
    const fates = () =>
      world.chain.trust.faults.fates.push(...Array.from({ length: times }, () => fate));
    const calls = { agent, mint: callBy(agent.address), claim: callBy(agent.address) };
    fates();
    await world.drive(process.registrar.mint(passportOrder(agent.address), calls.mint));
    fates();
    await world.drive(process.registrar.claim('alpha', calls.claim));
    expect(world.chain.ledger.contracts.agents.size).toBe(1);
    expect(await process.passports.find('alpha')).toMatchObject({ owner: agent.address });
  });

  test('a chain that is down for longer than a call waits answers that it goes on', async () => {
    const world = passportWorld();
    worlds.push(world);
    const process = await world.start();
    const agent = wallet();
    world.chain.trust.faults.fates.push(...Array.from({ length: 6 }, () => 'lost' as const));
    const by = callBy(agent.address);
    const order = passportOrder(agent.address);
    expect(await world.drive(process.registrar.mint(order, by))).toEqual({ state: 'minting' });
    expect(await process.passports.find('alpha')).toBeUndefined();
    await world.drive(settled(process));
    const again = await world.drive(process.registrar.mint(order, by));
    expect(again.view).toMatchObject({ name: 'alpha', erc8004: { id: '0' } });
    expect(world.chain.ledger.contracts.agents.size).toBe(1);
  });
});

test('an index that was lost is made anew from the actors', async () => {
  const world = passportWorld();
  worlds.push(world);
  const first = await world.start();
  const agent = wallet();
  await world.drive(first.registrar.mint(passportOrder(agent.address), callBy(agent.address)));
  await world.loseIndex();
  const second = await world.start();
  expect(await second.passports.find('0')).toMatchObject({ name: 'alpha' });
});

test('a repeat that is refused because the first call was done counts as done', async () => {
  const world = passportWorld();
  worlds.push(world);
  const agent = wallet();
  const fault = { code: 'WALLET_EXPIRED', message: 'The signature has expired.' } as const;
  const process = await world.start({
    wrap: (trust) => {
      const { identity } = trust;
      let calls = 0;
      const setWallet: typeof identity.setWallet = async (order) => {
        calls += 1;
        if (calls > 1) return { state: 'refused', fault };
        await identity.setWallet(order);
        throw new AppError('CHAIN_UNAVAILABLE');
      };
      return { ...trust, identity: { ...identity, setWallet } };
    },
  });
  const { registrar } = process;
  await world.drive(registrar.mint(passportOrder(agent.address), callBy(agent.address)));
  const request = await registrar.walletRequest('alpha');
  const deadline = Number(request.message['deadline']);
  const signature = await agent.sign(request);
  const bound = await world.drive(registrar.bind('alpha', { deadline, signature }));
  expect(bound).toMatchObject({
    view: { wallet: agent.address },
    context: { bound: { transaction: null }, fault: null },
  });
});
