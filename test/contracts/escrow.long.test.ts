import { type Hex, keccak256, toHex, zeroHash } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ESCROW,
  type EscrowTerms,
  type EscrowWorld,
  escrowWorld,
} from '../support/escrow-world.ts';

const HOUR_S = 3_600;
const WORK = keccak256(toHex('the deliverable'));
let at: EscrowWorld;
let buyer: PrivateKeyAccount;
let provider: PrivateKeyAccount;
let stranger: PrivateKeyAccount;

beforeAll(async () => {
  at = await escrowWorld();
  [buyer, provider, stranger] = [await at.party(), await at.party(), await at.party()];
}, 60_000);
afterAll(() => at.world.close());

interface Held {
  readonly terms: EscrowTerms;
  readonly key: Hex;
}

/** A job that its buyer has funded by its terms, brought by a stranger. */
async function held(over: Partial<EscrowTerms> = {}): Promise<Held> {
  const terms = await at.terms({ buyer: buyer.address, provider: provider.address, ...over });
  const rest = await at.signed({ buyer, terms, form: 'receive' });
  await at.escrow.send(stranger, 'fundWithAuthorization', terms, ...rest);
  return { terms, key: await at.keyOf(terms) };
}

async function delivered(): Promise<Held> {
  const job = await held();
  await at.escrow.send(provider, 'fulfil', job.key, WORK, '0x');
  return job;
}

async function disputed(): Promise<Held> {
  const job = await delivered();
  await at.escrow.send(buyer, 'dispute', job.key, zeroHash, '0x');
  return job;
}

const stateOf = async (key: Hex) => (await at.job(key)).state;
const purses = async () => ({
  buyer: await at.balance(buyer.address),
  provider: await at.balance(provider.address),
  treasury: await at.balance(at.treasury.address),
});

describe('funding', () => {
  test('a release pays four fifths to the provider and one fifth to the treasury', async () => {
    const { key } = await delivered();
    const before = await purses();
    await at.escrow.send(buyer, 'release', key, '0x');
    const after = await purses();
    expect(after.provider - before.provider).toBe(8_000_000n);
    expect(after.treasury - before.treasury).toBe(2_000_000n);
    expect(await stateOf(key)).toBe(ESCROW.released);
    expect(await at.escrow.read('held')).toBe(0n);
  });

  test('the buyer’s authorization funds the signed terms and no others', async () => {
    const terms = await at.terms({ buyer: buyer.address, provider: provider.address });
    const rest = await at.signed({ buyer, terms, form: 'receive' });
    const fund = (changed: Partial<EscrowTerms>) =>
      at.escrow.send(stranger, 'fundWithAuthorization', { ...terms, ...changed }, ...rest);
    await expect(fund({ provider: stranger.address })).rejects.toThrow();
    await expect(fund({ amount: terms.amount + 1n })).rejects.toThrow();
    await expect(fund({ fulfilBy: terms.fulfilBy + 1 })).rejects.toThrow();
    await fund({});
    await expect(fund({})).rejects.toThrow('JobKnown');
  });

  test('no address of the escrow itself becomes a party, whoever brings the money', async () => {
    const own = [at.escrow.address, at.dollar.address, at.treasury.address, at.arbiter.address];
    for (const party of own) {
      const terms = await at.terms({ buyer: buyer.address, provider: party });
      const rest = await at.signed({ buyer, terms, form: 'receive' });
      await expect(
        at.escrow.send(stranger, 'fundWithAuthorization', terms, ...rest),
      ).rejects.toThrow('TermsInvalid');
      const paid = await at.signed({ buyer, terms, form: 'transfer' });
      await expect(at.escrow.send(at.operator, 'fundExact', terms, ...paid)).rejects.toThrow(
        'TermsInvalid',
      );
      const asBuyer = { ...terms, buyer: party, provider: provider.address };
      await expect(
        at.escrow.send(at.operator, 'creditOrphan', asBuyer, terms.jobId),
      ).rejects.toThrow('TermsInvalid');
    }
  });

  test('an ordinary payment funds a job through the operator alone', async () => {
    const terms = await at.terms({ buyer: buyer.address, provider: provider.address });
    const rest = await at.signed({ buyer, terms, form: 'transfer' });
    await expect(at.escrow.send(stranger, 'fundExact', terms, ...rest)).rejects.toThrow(
      'NotTheOperator',
    );
    await at.escrow.send(at.operator, 'fundExact', terms, ...rest);
    const key = await at.keyOf(terms);
    expect(await stateOf(key)).toBe(ESCROW.escrowed);
    await at.escrow.send(buyer, 'release', key, '0x');
  });

  test('money that a stranger brought becomes the job, or goes back, once', async () => {
    const bring = async () => {
      const terms = await at.terms({ buyer: buyer.address, provider: provider.address });
      const [after, before, nonce, signature] = await at.signed({ buyer, terms, form: 'transfer' });
      const to = [buyer.address, at.escrow.address, terms.amount] as const;
      const call = [...to, after, before, nonce, signature];
      await at.dollar.send(stranger, 'transferWithAuthorization', ...call);
      return { terms, nonce };
    };
    const one = await bring();
    await at.escrow.send(at.operator, 'creditOrphan', one.terms, one.nonce);
    const key = await at.keyOf(one.terms);
    expect(await stateOf(key)).toBe(ESCROW.escrowed);
    const back = ['returnOrphan', buyer.address, one.nonce, one.terms.amount] as const;
    await expect(at.escrow.send(at.operator, ...back)).rejects.toThrow('MoneyMissing');
    const two = await bring();
    const before = await at.balance(buyer.address);
    const again = ['returnOrphan', buyer.address, two.nonce, two.terms.amount] as const;
    await at.escrow.send(at.operator, ...again);
    await expect(at.escrow.send(at.operator, ...again)).rejects.toThrow('MoneyMissing');
    expect((await at.balance(buyer.address)) - before).toBe(two.terms.amount);
    await at.escrow.send(buyer, 'release', key, '0x');
  });
});

describe('moves', () => {
  test('each move is its party’s: in person, or by its signature that anyone brings', async () => {
    const { key } = await held();
    await expect(at.escrow.send(buyer, 'fulfil', key, WORK, '0x')).rejects.toThrow('NotTheParty');
    const forged = await at.move(buyer, 'Fulfil', { key, deliverable: WORK });
    await expect(at.escrow.send(stranger, 'fulfil', key, WORK, forged)).rejects.toThrow(
      'NotTheParty',
    );
    const signature = await at.move(provider, 'Fulfil', { key, deliverable: WORK });
    await expect(at.escrow.send(stranger, 'fulfil', key, zeroHash, signature)).rejects.toThrow(
      'NotTheParty',
    );
    await at.escrow.send(stranger, 'fulfil', key, WORK, signature);
    expect(await stateOf(key)).toBe(ESCROW.fulfilled);
    await expect(at.escrow.send(provider, 'release', key, '0x')).rejects.toThrow('NotTheParty');
    await at.escrow.send(stranger, 'release', key, await at.move(buyer, 'Release', { key }));
    expect(await stateOf(key)).toBe(ESCROW.released);
  });

  test('after 72 hours anyone releases a delivered job, and not before', async () => {
    const { key } = await delivered();
    await at.world.passS(71 * HOUR_S);
    await expect(at.escrow.send(stranger, 'settleExpired', key)).rejects.toThrow('TooEarly');
    await at.world.passS(HOUR_S + 1);
    await at.escrow.send(stranger, 'settleExpired', key);
    expect(await stateOf(key)).toBe(ESCROW.released);
  });

  test('what was never delivered goes back to the buyer, by anyone', async () => {
    const { key, terms } = await held();
    await expect(at.escrow.send(stranger, 'refundUnfulfilled', key)).rejects.toThrow('TooEarly');
    await at.world.passS(HOUR_S + 1);
    await expect(at.escrow.send(provider, 'fulfil', key, WORK, '0x')).rejects.toThrow('TooLate');
    const before = await at.balance(buyer.address);
    await at.escrow.send(stranger, 'refundUnfulfilled', key);
    expect((await at.balance(buyer.address)) - before).toBe(terms.amount);
  });
});

describe('disputes', () => {
  test('a dispute freezes the window and can be had once', async () => {
    const { key } = await delivered();
    const { releaseBy } = await at.job(key);
    await at.escrow.send(buyer, 'dispute', key, zeroHash, '0x');
    await at.world.passS(80 * HOUR_S);
    await expect(at.escrow.send(stranger, 'settleExpired', key)).rejects.toThrow('WrongState');
    await at.escrow.send(buyer, 'withdrawDispute', key, '0x');
    const moved = (await at.job(key)).releaseBy - releaseBy;
    expect(moved).toBeGreaterThanOrEqual(80 * HOUR_S);
    expect(moved).toBeLessThan(80 * HOUR_S + 60);
    await expect(at.escrow.send(buyer, 'dispute', key, zeroHash, '0x')).rejects.toThrow(
      'WrongState',
    );
    await at.escrow.send(buyer, 'release', key, '0x');
  });

  test('the arbiter alone decides a dispute, and the verdict moves the money', async () => {
    for (const isForProvider of [true, false]) {
      const { key } = await disputed();
      const before = await purses();
      await expect(
        at.escrow.send(at.operator, 'decide', key, isForProvider, zeroHash),
      ).rejects.toThrow('NotTheParty');
      await at.escrow.send(at.arbiter, 'decide', key, isForProvider, zeroHash);
      const after = await purses();
      expect(await stateOf(key)).toBe(isForProvider ? ESCROW.released : ESCROW.refunded);
      expect(after.provider - before.provider).toBe(isForProvider ? 8_000_000n : 0n);
      expect(after.buyer - before.buyer).toBe(isForProvider ? 0n : 10_000_000n);
    }
  });

  test('no time ends a dispute: neither side is paid for waiting, and a late verdict counts', async () => {
    const { key } = await disputed();
    const before = await purses();
    for (const days of [6, 1, 30, 365]) {
      await at.world.passS(days * 24 * HOUR_S);
      for (const who of [buyer, provider, stranger]) {
        await expect(at.escrow.send(who, 'settleExpired', key)).rejects.toThrow('WrongState');
        await expect(at.escrow.send(who, 'refundUnfulfilled', key)).rejects.toThrow('WrongState');
      }
      expect([await stateOf(key), await purses()]).toEqual([ESCROW.disputed, before]);
    }
    await at.escrow.send(at.arbiter, 'decide', key, true, zeroHash);
    expect((await purses()).provider - before.provider).toBe(8_000_000n);
  });

  test('the contract says its version, and no call of it refunds a dispute by time', async () => {
    expect(await at.escrow.read('version')).toBe(3);
    const names = at.escrow.abi.flatMap((each) => (each.type === 'function' ? [each.name] : []));
    expect(names).not.toContain('refundUndecided');
  });
});

describe('refusals', () => {
  test('terms without sense are refused', async () => {
    const now = await at.world.nowS();
    const wrong: Partial<EscrowTerms>[] = [
      { amount: 0n },
      { fulfilBy: now - 1 },
      { fulfilBy: now + 366 * 24 * HOUR_S },
      { provider: '0x0000000000000000000000000000000000000000' },
    ];
    for (const over of wrong) await expect(held(over)).rejects.toThrow('TermsInvalid');
  });
});

test('a party that the dollar shuts out does not hold up the other, and fetches its money', async () => {
  const own = await escrowWorld('refusing');
  const [pays, works] = [await own.party(), await own.party()];
  const terms = await own.terms({ buyer: pays.address, provider: works.address });
  const rest = await own.signed({ buyer: pays, terms, form: 'receive' });
  await own.escrow.send(pays, 'fundWithAuthorization', terms, ...rest);
  await own.dollar.send(pays, 'shutOut', works.address);
  await own.escrow.send(pays, 'release', await own.keyOf(terms), '0x');
  expect(await own.balance(own.treasury.address)).toBe(2_000_000n);
  expect(await own.escrow.read('owed', works.address)).toBe(8_000_000n);
  expect(await own.escrow.read('unaccounted')).toBe(0n);
  const elsewhere = (await own.world.account()).address;
  await own.escrow.send(works, 'fetch', elsewhere);
  expect(await own.balance(elsewhere)).toBe(8_000_000n);
  await expect(own.escrow.send(works, 'fetch', elsewhere)).rejects.toThrow('NothingOwed');
  await own.world.close();
}, 60_000);
