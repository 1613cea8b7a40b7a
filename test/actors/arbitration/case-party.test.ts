import { afterEach, describe, expect, test } from 'vitest';
import { ARBITRATE_SCOPE } from '../../../src/actors/arbitration/case-party.ts';
import type { DelegationChain } from '../../../src/domain/passport/delegations.ts';
import { arbitrationWorld, WALLETS } from '../../support/arbitration-world.ts';

type Opened = Awaited<ReturnType<typeof arbitrationWorld>>;
const worlds: Opened[] = [];
afterEach(async () => {
  for (const { world } of worlds.splice(0)) await world.end();
});

async function opened(state: 'disputed' | 'released' | 'refunded' = 'disputed'): Promise<Opened> {
  const made = await arbitrationWorld({ job: { state } });
  worlds.push(made);
  return made;
}

const STATES = ['disputed', 'released', 'refunded'] as const;
const ID = `dlg_${'4'.repeat(64)}`;

function chain(change: Partial<DelegationChain> = {}): DelegationChain {
  return {
    delegation_id: ID,
    is_valid: true,
    faults: [],
    links: [],
    delegator: WALLETS.buyer,
    delegate: WALLETS.stranger,
    scope: ['jobs.*'],
    expires_at: '2030-01-01T00:00:00Z',
    ...change,
  };
}

function filed(made: Opened, payer: string, found?: DelegationChain) {
  const delegations = { verifyChain: async () => found ?? chain() };
  const request = found === undefined ? {} : { delegation_id: ID };
  return made.order(request, { payer, delegations });
}

describe.each(STATES)('an arbitration of a %s job', (state) => {
  test('is not filed by a stranger, whose order leaves the one place free', async () => {
    const made = await opened(state);
    for (const payer of [WALLETS.stranger, `0x${'00'.repeat(20)}`, 'local', '']) {
      await expect(filed(made, payer)).rejects.toMatchObject({
        code: 'NOT_THE_PARTY',
        data: { received: payer, allowed: [WALLETS.buyer, WALLETS.provider] },
      });
    }
    await filed(made, WALLETS.provider);
  });

  test.each(['buyer', 'provider'] as const)('is filed by the %s, in any letters', async (who) => {
    const made = await opened(state);
    const payer = WALLETS[who].toUpperCase().replace('0X', '0x');
    expect((await filed(made, payer)).kind).toBe('arbitration');
  });
});

describe('a delegate', () => {
  test.each([['*'], ['jobs.*'], [ARBITRATE_SCOPE]])('files for a party under %s', async (scope) => {
    for (const delegator of [WALLETS.buyer, WALLETS.provider]) {
      const made = await opened();
      const found = chain({ delegator, scope: ['research.topic', scope] });
      expect((await filed(made, WALLETS.stranger, found)).kind).toBe('arbitration');
    }
  });

  const fault = { delegation_id: ID, rule: 'not_revoked', says: 'it was revoked' } as const;
  test.each([
    ['of another wallet', chain({ delegator: WALLETS.stranger }), 'NOT_THE_PARTY'],
    ['for another wallet', chain({ delegate: `0x${'d4'.repeat(20)}` }), 'NOT_THE_PARTY'],
    ['that was revoked', chain({ is_valid: false, faults: [fault] }), 'DELEGATION_INVALID'],
    ['without the scope', chain({ scope: ['jobs.arbitrates', 'job.*'] }), 'DELEGATION_INVALID'],
    ['without any scope', chain({ scope: [] }), 'DELEGATION_INVALID'],
  ])('is refused with a delegation %s', async (_case, found, code) => {
    const made = await opened();
    await expect(filed(made, WALLETS.stranger, found)).rejects.toMatchObject({ code });
  });
});
