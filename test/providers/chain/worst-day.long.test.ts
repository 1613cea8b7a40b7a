import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  GAS_BUDGETS,
  type GasBudget,
  type GasPurpose,
} from '../../../src/providers/chain/trust/gas-budgets.ts';
import { openGasMeter } from '../../../src/providers/chain/trust/gas-meter.ts';
import { JOB_GAS, readJobMinimum } from '../../../src/providers/escrow/job-minimum.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { BURN_SIGNS, deployBurning, sentSince } from '../../support/burning-wallet.ts';
import { nodeRpc } from '../../support/node-rpc.ts';
import { createPayer, type Payer, requirementsOf } from '../../support/payer.ts';
import { type SecondChain, secondChain } from '../../support/second-chain.ts';
import { type Spender, type SpentDay, spentDay } from '../../support/spender.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { createParty, fundingOf, signMove, termsOf } from '../../support/trust-parties.ts';

const PURPOSES = Object.keys(GAS_BUDGETS) as GasPurpose[];
const WALLETS = 1_000;
const GWEI = 10n ** 9n;

describe('an attacker with 1,000 wallets for a day', () => {
  const day = spentDay();
  const refusedOf = new Map<string, number>();
  const note = (name: string, outcome: { state: string; fault?: { code: string } }) => {
    if (outcome.fault?.code === 'GAS_BUDGET') refusedOf.set(name, (refusedOf.get(name) ?? 0) + 1);
    return outcome;
  };
  const known = day.wallet();

  beforeAll(async () => {
    await day.pay(known);
    for (let index = 0; index < WALLETS; index += 1) await attack(day, note);
  }, 300_000);

  test('costs no more than the budget of each purpose, in units', () => {
    const { gas } = day.chain;
    const used = PURPOSES.map((purpose) => [purpose, gas.usedGas(purpose)] as const);
    for (const [purpose, units] of used) {
      expect(units, purpose).toBeLessThanOrEqual(GAS_BUDGETS[purpose].gasPerDay);
    }
    // The paths that it can fill, it has filled as far as wallets that never paid may.
    for (const purpose of ['contract_settlement', 'give_backs'] as const) {
      expect(gas.usedGas(purpose)).toBeLessThanOrEqual(GAS_BUDGETS[purpose].gasPerDay / 2);
      expect(refusedOf.get(purpose), purpose).toBeGreaterThan(0);
    }
    expect(refusedOf.get('escrow')).toBeGreaterThan(0);
  });

  test('leaves room for a new wallet that pays, and for one that has paid', async () => {
    expect((await day.pay(day.wallet())).state).toBe('settled');
    expect((await day.pay(known)).state).toBe('settled');
    expect((await day.register(known)).state).toBe('done');
    const provider = day.wallet();
    const funded = await day.fund(known, provider);
    expect(funded.state).toBe('done');
    const key = funded.state === 'done' ? funded.result.key : '';
    expect((await day.pay(provider)).state).toBe('settled');
    const fulfil = { move: 'fulfil', deliverable: `0x${'11'.repeat(32)}` } as const;
    expect((await day.move(key, provider, fulfil)).state).toBe('done');
    expect((await day.move(key, known, { move: 'release' })).state).toBe('done');
  });

  test('is over at midnight', async () => {
    day.clock.now += 86_400_000;
    expect((await day.register(day.wallet())).state).toBe('done');
  });
});

test('a budget of payments that is used up keeps no money out of the escrow', async () => {
  const spent = spentDay();
  const { gas, facts, trust } = spent.chain;
  const all = { name: 'all', purpose: 'settlement', gas: 150_000, wei: 0n } as const;
  for (let n = 0; gas.hold({ ...all, name: `${n}` }) === undefined; n += 1);
  const buyer = spent.wallet();
  const paid = await spent.pay(buyer);
  expect(paid).toMatchObject({ state: 'failed', fault: { code: 'GAS_BUDGET' } });
  const payment = spent.payment(buyer);
  expect((await spent.chain.checkOnChain(payment))?.code).toBe('GAS_BUDGET');
  const { authorization } = payment.payload;
  const escrowed = { ...authorization, to: trust.contracts.escrow ?? facts.token };
  const payload = { ...payment, payload: { ...payment.payload, authorization: escrowed } };
  expect(await spent.chain.checkOnChain(payload)).toBeUndefined();
  expect((await spent.fund(buyer, spent.wallet())).state).toBe('done');
});

/** Everything that one wallet can make the operator pay for, until it is refused. */
async function attack(
  day: SpentDay,
  note: (name: string, outcome: { state: string; fault?: { code: string } }) => { state: string },
): Promise<void> {
  const [key, contract] = [day.wallet(), day.contract(() => true)];
  for (let n = 0; n < 4; n += 1) note('settlement', await day.payRaced(key));
  for (let n = 0; n < 4; n += 1) note('contract_settlement', await day.pay(contract));
  for (const buyer of [key, contract]) await cycle(day, note, buyer);
  for (let n = 0; n < 3; n += 1) note('passports', await day.register(key));
}

async function cycle(
  day: SpentDay,
  note: (name: string, outcome: { state: string; fault?: { code: string } }) => { state: string },
  buyer: Spender,
): Promise<void> {
  const provider = day.wallet();
  const funded = await day.fund(buyer, provider);
  note('escrow', funded);
  if (funded.state !== 'done') return;
  note('give_backs', await day.move(funded.result.key, provider, { move: 'giveBack' }));
}

test.each([1n, 100n, 5_000n])(
  'at %i hundredths of a gwei the budget in wei is never passed, and others go on',
  (hundredths) => {
    const budget = 10n ** 16n;
    const gas = openGasMeter({ now: () => 0, budget });
    const fee = (hundredths * GWEI) / 100n;
    for (const purpose of PURPOSES.filter((each) => each !== 'anchors')) {
      const { gasPerCall }: GasBudget = GAS_BUDGETS[purpose];
      for (let n = 0; n < 3 * WALLETS; n += 1) {
        const wallet = `0x${(n % WALLETS).toString(16).padStart(40, '0')}`;
        const wei = BigInt(gasPerCall) * fee;
        const name = `${purpose} ${n}`;
        if (gas.hold({ name, purpose, wallet, gas: gasPerCall, wei }) !== undefined) continue;
        gas.settle(name, { gas: gasPerCall, wei, end: 'failed' });
      }
    }
    expect(gas.used()).toBeLessThanOrEqual(budget);
    const anchor = { name: 'anchor', purpose: 'anchors', gas: 70_000, wei: budget / 20n } as const;
    expect(gas.hold(anchor)).toBeUndefined();
  },
);

const folder = tempDir();
let chain: NodePaymentChain;

async function head(): Promise<number> {
  return Number(await nodeRpc<string>(chain.facts.rpcUrl, 'eth_blockNumber'));
}

beforeAll(async () => {
  const notice = () => undefined;
  chain = await openPaymentChain({ kind: 'local', dataDir: folder.path, now: Date.now, notice });
}, 60_000);
afterAll(async () => {
  await chain.close();
  folder.remove();
});

describe('payments on a node', () => {
  test('a wallet contract that fails at random is refused before its fourth transaction', async () => {
    const owner = createPayer();
    const sign = BURN_SIGNS.indexOf('prevrandao');
    const rule = { sign, comparison: 2, bound: 1n << 255n };
    const address = await deployBurning(chain.facts.rpcUrl, owner.address, rule);
    await chain.faucet(address, '1000000000');
    const begun = await head();
    let refused = 0;
    for (let call = 0; call < 300 && refused < 5; call += 1) {
      // Another block has another mix.
      await nodeRpc(chain.facts.rpcUrl, 'anvil_mine', '0x1');
      const outcome = await chain.settle(await byContract(owner, address));
      // It stays open: the budget of another day may bear it.
      if (outcome.state === 'unknown' && outcome.fault?.code === 'GAS_BUDGET') refused += 1;
    }
    const sent = await sentSince(chain.facts.rpcUrl, chain.trust.operator, begun);
    const failed = sent.filter(({ isFailed }) => isFailed);
    expect([failed.length, refused]).toEqual([3, 5]);
    for (const { gas } of failed) {
      expect(gas).toBeLessThanOrEqual(300_000);
    }
    const payload = await byContract(owner, address);
    expect((await chain.checkOnChain(payload))?.code).toMatch(/^(GAS_BUDGET|PAYMENT_FORGED)$/);
  }, 120_000);

  test('payments that one balance does not cover together are settled as far as it goes', async () => {
    const payer = createPayer();
    const offer = requirementsOf(chain.facts);
    await chain.faucet(payer.address, (3n * BigInt(offer.amount)).toString());
    const begun = await head();
    const payments = await Promise.all(Array.from({ length: 12 }, () => payer.pay(offer)));
    const outcomes = await Promise.all(payments.map((payment) => chain.settle(payment)));
    expect(outcomes.filter(({ state }) => state === 'settled')).toHaveLength(3);
    const codes = outcomes.flatMap((one) => (one.state === 'unknown' ? [one.fault?.code] : []));
    expect(new Set(codes)).toEqual(new Set(['PAYMENT_FUNDS']));
    const sent = await sentSince(chain.facts.rpcUrl, chain.trust.operator, begun);
    expect(sent.filter(({ isFailed }) => isFailed)).toEqual([]);
  }, 60_000);
});

describe('jobs on a node', () => {
  test('jobs that are given back cost a wallet its share, and then its own gas', async () => {
    const [buyer, provider] = [createParty(), createParty()];
    const { trust, facts } = chain;
    await chain.faucet(buyer.address, '1000000000');
    const begun = await head();
    let refusal: unknown;
    for (let n = 0; n < 20 && refusal === undefined; n += 1) {
      const nowS = await trust.nowS();
      const terms = termsOf({ buyer, provider }, nowS, { amount: '10000' });
      const order = await fundingOf({ facts, trust, buyer, terms, form: 'terms', nowS });
      expect((await trust.escrow.fund(order)).state).toBe('done');
      const key = trust.escrow.computeKey(terms);
      const signature = await signMove(trust, key, provider, { move: 'giveBack' });
      const outcome = await trust.escrow.move(key, { move: 'giveBack', signature });
      if (outcome.state === 'refused') refusal = outcome.fault;
    }
    expect(refusal).toMatchObject({
      code: 'GAS_BUDGET',
      data: { purpose: 'give_backs', scope: 'wallet', send: { function: 'giveBack' } },
    });
    expect((refusal as { message: string }).message).toContain('from your own account');
    const sent = await sentSince(facts.rpcUrl, trust.operator, begun);
    expect(sent.length).toBeGreaterThan(6);
    const giveBacks = sent.filter((_, place) => place % 2 === 1);
    expect(giveBacks.reduce((sum, { gas }) => sum + gas, 0)).toBeLessThanOrEqual(500_000);
    expect((await chain.settle(await createPaid())).state).toBe('settled');
  }, 120_000);

  test('a whole job uses no more gas than its least price is reckoned from', async () => {
    const [buyer, provider] = [createParty(), createParty()];
    const { trust, facts } = chain;
    await chain.faucet(buyer.address, '1000000000');
    const begun = await head();
    const nowS = await trust.nowS();
    const terms = termsOf({ buyer, provider }, nowS, { amount: '10000' });
    await trust.escrow.fund(await fundingOf({ facts, trust, buyer, terms, form: 'terms', nowS }));
    const key = trust.escrow.computeKey(terms);
    for (const [by, move] of [
      [provider, { move: 'fulfil', deliverable: `0x${'11'.repeat(32)}` }],
      [buyer, { move: 'release' }],
    ] as const) {
      const signature = await signMove(trust, key, by, move);
      expect((await trust.escrow.move(key, { ...move, signature })).state).toBe('done');
    }
    const sent = await sentSince(facts.rpcUrl, trust.operator, begun);
    expect(sent.reduce((sum, { gas }) => sum + gas, 0)).toBeLessThanOrEqual(Number(JOB_GAS));
  });
});

async function byContract(owner: Payer, address: string) {
  const signed = await owner.pay(requirementsOf(chain.facts), {
    authorization: { from: address as never },
  });
  return {
    ...signed,
    payload: { ...signed.payload, signature: `${signed.payload.signature}ab` },
  };
}

async function createPaid() {
  const payer = createPayer();
  await chain.faucet(payer.address, '1000000000');
  return payer.pay(requirementsOf(chain.facts));
}

describe('on a chain whose gas has a price', () => {
  let second: SecondChain;
  beforeAll(async () => {
    second = await secondChain(0);
  }, 60_000);
  afterAll(() => second.close());

  test.each(['gasprice', 'basefee', 'coinbase', 'gaslimit', 'origin'] as const)(
    'a wallet contract that signs only where %s is not as in the block costs nothing',
    async (sign) => {
      const chain = await second.open({ confirmations: 1 });
      for (const comparison of [0, 2]) {
        const owner = createPayer();
        const rule = { sign: BURN_SIGNS.indexOf(sign), comparison, bound: 0n };
        const address = await deployBurning(second.rpcUrl, owner.address, rule);
        await second.mint(address, '1000000000');
        const signed = await owner.pay(requirementsOf(chain.facts), {
          authorization: { from: address as never },
        });
        const signature = `${signed.payload.signature}ab`;
        const payload = { ...signed, payload: { ...signed.payload, signature } };
        const check = await chain.checkOnChain(payload);
        const outcome = await chain.settle(payload);
        const isGood = check === undefined;
        expect([isGood, outcome.state]).toEqual([isGood, isGood ? 'settled' : 'unknown']);
      }
      expect(chain.trust.gasUsage().used).toBe('0');
      await chain.close();
    },
  );

  test.each([
    ['0.01', 10_000_000n, '90000'],
    ['1', GWEI, '9000000'],
    ['20', 20n * GWEI, '180000000'],
  ])('the least price of a job at %s gwei', async (_, maxFeePerGas, least) => {
    const fees = async () => ({ maxFeePerGas, maxPriorityFeePerGas: 0n });
    expect(await readJobMinimum({ fees, isLocal: false, gasCoinUsd: 4_000 })).toBe(least);
    expect(await readJobMinimum({ fees, isLocal: true, gasCoinUsd: 4_000 })).toBe('10000');
  });
});
