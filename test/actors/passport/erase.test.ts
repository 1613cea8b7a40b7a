import { afterEach, expect, test } from 'vitest';
import { HOUR_MS } from '../../../src/domain/common/time.ts';
import { buildDelegationTypedData } from '../../../src/domain/passport/delegation.ts';
import {
  callBy,
  delegationOf,
  type PassportWorld,
  passportOrder,
  passportWorld,
  wallet,
} from '../../support/passport-world.ts';
import { soon } from '../../support/proof-rig.ts';

const worlds: PassportWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

test('what has been revoked for an hour is erased for its subject; what has force stays', async () => {
  const world = passportWorld();
  worlds.push(world);
  const process = await world.start();
  const [agent, other] = [wallet(), wallet()];
  const { delegations, erasable, passports, registrar } = process;
  for (const [name, by] of [
    ['alpha', agent],
    ['bravo', agent],
    ['other', other],
  ] as const) {
    const order = passportOrder(by.address, { name });
    await world.drive(registrar.mint(order, callBy(by.address)));
  }
  const delegation = delegationOf({ delegator: agent.address, delegate: other.address });
  const signature = await agent.sign(buildDelegationTypedData(delegation, 31_337));
  const { delegation_id } = await delegations.grant(delegation, signature);
  await registrar.revoke('alpha', 'done', callBy(agent.address));
  await delegations.revoke(delegation_id, 'done', callBy(agent.address));
  expect(await erasable.erase(agent.address)).toBe(0);

  await world.clock.advance(HOUR_MS);
  expect(await erasable.erase(other.address)).toBe(0);
  expect(await erasable.erase(agent.address)).toBe(2);
  expect(await erasable.erase(agent.address)).toBe(0);
  expect(await passports.find('alpha')).toBeUndefined();
  expect(await passports.find('0')).toBeUndefined();
  expect(await passports.find('bravo')).toMatchObject({ status: 'active' });
  expect(await delegations.listByWallet(agent.address)).toEqual([]);
  expect(world.chain.ledger.contracts.agents.size).toBe(3);

  const order = passportOrder(other.address, { name: 'alpha' });
  const next = await world.drive(registrar.mint(order, callBy(other.address)));
  expect(next.view).toMatchObject({ name: 'alpha', erc8004: { id: '3' } });
  // A name that was given anew has proofs and events of its own.
  const minted = () => world.logs.events.about('agent:3', 0, 9).map(({ type }) => type);
  await soon(() => minted().length > 0);
  expect(minted()).toEqual(['passport.minted']);
  expect(world.logs.log.find('passport:alpha', 9).map(({ kind }) => kind)).toEqual([
    ...[30010, 30024, 30010],
  ]);
});

test('a delegation that was taken back and erased cannot be brought in again', async () => {
  const world = passportWorld();
  worlds.push(world);
  const { delegations, erasable } = await world.start();
  const [agent, other, third] = [wallet(), wallet(), wallet()];
  const delegation = delegationOf({ delegator: agent.address, delegate: other.address });
  const signature = await agent.sign(buildDelegationTypedData(delegation, 31_337));
  const { delegation_id } = await delegations.grant(delegation, signature);
  const below = delegationOf({
    delegator: other.address,
    delegate: third.address,
    depth: 1,
    parent_id: delegation_id,
  });
  await delegations.grant(below, await other.sign(buildDelegationTypedData(below, 31_337)));
  await delegations.revoke(delegation_id, 'stolen key', callBy(agent.address));
  await soon(() => world.logs.log.size === 3);
  await world.clock.advance(HOUR_MS);
  expect(await erasable.erase(agent.address)).toBe(1);
  await world.logs.log.erase(agent.address);
  await expect(delegations.grant(delegation, signature)).rejects.toMatchObject({
    code: 'MOVE_UNAVAILABLE',
    data: { received: delegation_id },
  });
  const left = await delegations.listByWallet(other.address);
  expect(left.map(({ delegate, status }) => [delegate, status])).toEqual([
    [third.address, 'revoked'],
  ]);
});
