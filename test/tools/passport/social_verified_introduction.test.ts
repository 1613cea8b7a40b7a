import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DelegationChain } from '../../../src/domain/passport/delegations.ts';
import type { TypedData } from '../../../src/domain/wallet/typed-data.ts';
import { introductionTool } from '../../../src/tools/passport/social_verified_introduction.ts';
import { type LookRig, lookRig } from '../../support/look-rig.ts';
import { toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';
import { type SigningWallet, signingWallet } from '../../support/signing-wallet.ts';
import { refusalOf, textOf } from '../../support/tool-answers.ts';

const PAYMENT = { paymentId: `pay_${'6'.repeat(64)}`, payer: `0x${'9'.repeat(40)}` };
const DAY_MS = 86_400_000;
let rig: LookRig;
let ann: SigningWallet;
let bob: SigningWallet;
const chains = new Map<string, DelegationChain>();

beforeAll(() => {
  rig = lookRig();
  [ann, bob] = [signingWallet(), signingWallet()];
  rig.register('ann', { wallet: ann.address });
  rig.register('bob', { wallet: bob.address });
  rig.register('gone', { wallet: bob.address, status: 'revoked' });
  rig.register('unbound');
  chains.set('good', chainOf('good', bob.address, true));
  chains.set('stolen', chainOf('stolen', ann.address, true));
  chains.set('broken', chainOf('broken', bob.address, false));
});
afterAll(() => rig.close());

function chainOf(id: string, delegate: string, isValid: boolean): DelegationChain {
  return {
    delegation_id: id,
    is_valid: isValid,
    delegator: `0x${'9'.repeat(40)}`,
    delegate,
    faults: [],
    scope: ['buy.*'],
    expires_at: '2027-01-01T00:00:00.000Z',
    links: [],
  };
}

function tool() {
  const { chain, deps } = rig;
  return introductionTool({
    ...deps,
    chain,
    delegations: {
      ...deps.delegations,
      verifyChain: async (id) => {
        const found = chains.get(id);
        if (found === undefined) throw new Error('it is there');
        return found;
      },
    },
  });
}

interface Asked {
  readonly names?: readonly [string, string];
  readonly by?: readonly [SigningWallet, SigningWallet];
  readonly delegations?: readonly (string | undefined)[];
  readonly over?: object;
  /** What is changed after signing. */
  readonly after?: object;
}

async function input({ names = ['ann', 'bob'], by = [ann, bob], over = {}, ...rest }: Asked = {}) {
  const at = rig.deps.clock.now();
  const expires_at = new Date(at + DAY_MS).toISOString();
  const bare = { purpose: 'a trade', expires_at, nonce: `0x${'7'.repeat(64)}`, ...over };
  const parties = names.map((agent, place) => {
    const delegation_id = rest.delegations?.[place];
    return { agent, ...(delegation_id === undefined ? {} : { delegation_id }) };
  });
  const asked = await refusalOf(() =>
    tool().checkReady?.(tool().input.parse({ ...bare, parties })),
  );
  const data = asked.data['typed_data'] as readonly TypedData[] | undefined;
  if (data === undefined) throw asked;
  const signed = await Promise.all(
    parties.map(async (party, place) => {
      const [wallet, typed] = [by[place], data[place]];
      if (wallet === undefined || typed === undefined) throw new Error('two parties');
      return { ...party, consent_signature: await wallet.sign(typed) };
    }),
  );
  return tool().input.parse({ ...bare, parties: signed, ...rest.after });
}

async function introduce(asked: Asked = {}) {
  const given = await input(asked);
  tool().checkReady?.(given);
  const result = await tool().run(given, toolContext(PAYMENT).context);
  tool().output.parse(result.structuredContent);
  return result;
}

test('two agents that agree are introduced, and what was verified is said and signed', async () => {
  proves('C4.3.t39');
  const result = await introduce({ delegations: [undefined, 'good'] });
  expect(textOf(result)).toMatch(/^Introduced: ann and bob\./);
  expect(result.structuredContent).toMatchObject({
    payload: {
      parties: [
        { name: 'ann', wallet: ann.address, delegation: null },
        { name: 'bob', wallet: bob.address, delegation: { delegation_id: 'good' } },
      ],
      verified: expect.arrayContaining([expect.stringContaining('the delegation of bob is valid')]),
      not_verified: expect.arrayContaining([expect.stringContaining('ann named no delegation')]),
    },
    proof: { ref: `stm_${'6'.repeat(64)}` },
  });
  expect(rig.isSigned(result.structuredContent)).toBe(true);
});

test('nothing is paid before both have signed: the answer says what each wallet signs', async () => {
  const { purpose } = await input();
  const parties = [{ agent: 'ann' }, { agent: 'bob' }];
  const base = { purpose, nonce: `0x${'7'.repeat(64)}`, parties };
  const expires_at = new Date(rig.deps.clock.now() + DAY_MS).toISOString();
  const error = await refusalOf(() =>
    tool().checkReady?.(tool().input.parse({ ...base, expires_at })),
  );
  expect(error).toMatchObject({
    code: 'INPUT_INVALID',
    data: {
      received: 0,
      allowed: 2,
      typed_data: [
        { primaryType: 'Consent', message: { agent: 'ann', toMeet: 'bob' } },
        { primaryType: 'Consent', message: { agent: 'bob', toMeet: 'ann' } },
      ],
    },
  });
});

test('each side that does not hold is refused by what is wrong with it', async () => {
  const later = { after: { purpose: 'another trade' } };
  const refusals: readonly [Asked, string][] = [
    [{ by: [ann, ann] }, 'WALLET_FORGED'],
    [{ by: [bob, ann] }, 'WALLET_FORGED'],
    [later, 'WALLET_FORGED'],
    [{ names: ['ann', 'nobody'] }, 'PASSPORT_UNKNOWN'],
    [{ names: ['ann', 'gone'] }, 'FORBIDDEN'],
    [{ names: ['ann', 'unbound'] }, 'FORBIDDEN'],
    [{ names: ['ann', '0'], by: [ann, ann] }, 'INPUT_INVALID'],
    [{ delegations: [undefined, 'broken'] }, 'DELEGATION_INVALID'],
    [{ delegations: [undefined, 'stolen'] }, 'DELEGATION_INVALID'],
    [{ over: { expires_at: '2020-01-01T00:00:00.000Z' } }, 'WALLET_EXPIRED'],
    [{ over: { expires_at: '2040-01-01T00:00:00.000Z' } }, 'INPUT_INVALID'],
    [{ names: ['ann', 'ANN'] }, 'INPUT_INVALID'],
  ];
  for (const [asked, code] of refusals) {
    const error = await refusalOf(() => introduce(asked));
    expect(error.code, JSON.stringify(asked)).toBe(code);
  }
});

test('it costs a tenth of a dollar, once it is done', () => {
  expect(tool().price).toEqual({ amount: '100000', flow: 'authorization' });
});
