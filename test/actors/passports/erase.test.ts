import { afterEach, expect, test } from 'vitest';
import { delegationTypedData } from '../../../src/domain/delegation/delegation.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import {
  callBy,
  delegationOf,
  type PassportWorld,
  passportOrder,
  passportWorld,
  wallet,
} from '../../support/passport-world.ts';

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
  const signature = await agent.sign(delegationTypedData(delegation, 31_337));
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
  expect(await delegations.of(agent.address)).toEqual([]);
  expect(world.chain.ledger.contracts.agents.size).toBe(3);

  const order = passportOrder(other.address, { name: 'alpha' });
  const next = await world.drive(registrar.mint(order, callBy(other.address)));
  expect(next.view).toMatchObject({ name: 'alpha', erc8004: { id: '3' } });
});
