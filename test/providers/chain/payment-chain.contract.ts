import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentPayload, PaymentRequirements } from '../../../src/domain/payment/payment.ts';
import type { PaymentChain } from '../../../src/domain/payment/payment-chain.ts';
import { createPayer, type Payer, requirementsOf } from '../../support/payer.ts';
import { flipBit, highS } from '../../support/signature-damage.ts';

const FUNDS = '10000000';
const PRICE = '250000';
const ORDER_HEX = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

/** What every payment chain must do. `open` gives a fresh chain; it is closed at the end. */
export function paymentChainContract(name: string, open: () => Promise<PaymentChain>): void {
  describe(`${name} as a payment chain`, () => {
    const scene = openScene(open);
    provesChecks(scene);
    provesLocalFaults(scene);
    provesSettlement(scene);
    provesLookUp(scene);
    provesTransfers(scene);
  });
}

interface Scene {
  readonly chain: PaymentChain;
  readonly offer: PaymentRequirements;
  funded(): Promise<Payer>;
  localCode(payload: PaymentPayload): string | undefined;
}

function openScene(open: () => Promise<PaymentChain>): Scene {
  let chain: PaymentChain;
  beforeAll(async () => {
    chain = await open();
  }, 30_000);
  afterAll(() => chain.close());
  return {
    get chain() {
      return chain;
    },
    get offer() {
      return requirementsOf(chain.facts);
    },
    funded: async () => {
      const payer = createPayer();
      await chain.faucet(payer.address, FUNDS);
      return payer;
    },
    localCode: (payload) =>
      chain.checkLocally(payload, requirementsOf(chain.facts), Date.now())?.code,
  };
}

function provesChecks(at: Scene): void {
  test('an honest payment passes both checks and moves exactly the price', async () => {
    const payer = await at.funded();
    const payload = await payer.pay(at.offer);
    const before = BigInt(await at.chain.balance(at.chain.facts.treasury));
    expect(at.localCode(payload)).toBeUndefined();
    expect(await at.chain.checkOnChain(payload)).toBeUndefined();
    expect(await at.chain.settle(payload)).toEqual({
      state: 'settled',
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      block: expect.any(Number),
    });
    expect(await at.chain.balance(payer.address)).toBe('9750000');
    expect(BigInt(await at.chain.balance(at.chain.facts.treasury)) - before).toBe(250_000n);
  });

  test('an offer for another chain than this one is a wrong network', async () => {
    const elsewhere = { ...at.offer, network: 'eip155:8453' };
    const payload = await createPayer().pay(elsewhere);
    expect(at.chain.checkLocally(payload, elsewhere, Date.now())?.code).toBe(
      'PAYMENT_WRONG_NETWORK',
    );
  });

  test('a drained payer is told so, and settles once the money is there', async () => {
    const payer = createPayer();
    const payload = await payer.pay(at.offer);
    expect((await at.chain.checkOnChain(payload))?.code).toBe('PAYMENT_FUNDS');
    expect(await at.chain.settle(payload)).toMatchObject({
      state: 'unknown',
      fault: { code: 'PAYMENT_FUNDS' },
    });
    await at.chain.faucet(payer.address, FUNDS);
    expect((await at.chain.settle(payload)).state).toBe('settled');
  });

  test('a balance is promised to one payment, until that one is paid or given up', async () => {
    const payer = createPayer();
    await at.chain.faucet(payer.address, PRICE);
    const payloads = await Promise.all(Array.from({ length: 5 }, () => payer.pay(at.offer)));
    const faults = await Promise.all(payloads.map((each) => at.chain.checkOnChain(each)));
    expect(faults.filter((fault) => fault === undefined)).toHaveLength(1);
    const codes = faults.flatMap((fault) => fault?.code ?? []);
    expect(codes).toEqual(Array(4).fill('PAYMENT_FUNDS'));
    const passed = payloads[faults.indexOf(undefined)] as PaymentPayload;
    const other = payloads[faults.findIndex((fault) => fault !== undefined)] as PaymentPayload;
    // One that passed passes again, and one that is given up makes room.
    expect(await at.chain.checkOnChain(passed)).toBeUndefined();
    at.chain.releaseReservation(passed);
    expect(await at.chain.checkOnChain(other)).toBeUndefined();
    expect((await at.chain.settle(other)).state).toBe('settled');
    await at.chain.faucet(payer.address, PRICE);
    // What is paid is no longer counted beside the balance.
    expect(await at.chain.checkOnChain(passed)).toBeUndefined();
  });

  test('a spent authorization is a replay', async () => {
    const payer = await at.funded();
    const payload = await payer.pay(at.offer);
    await at.chain.settle(payload);
    expect((await at.chain.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
  });

  test('a signature of no key and no contract does not settle', async () => {
    const payer = await at.funded();
    const payload = await payer.pay(at.offer, { signature: `0x${'ab'.repeat(80)}` });
    expect(at.localCode(payload)).toBeUndefined();
    expect((await at.chain.checkOnChain(payload))?.code).toBe('PAYMENT_FORGED');
    expect(await at.chain.settle(payload)).toMatchObject({
      state: 'unknown',
      fault: { code: 'PAYMENT_FORGED' },
    });
  });
}

function provesLocalFaults(at: Scene): void {
  test('each local fault has its own code', async () => {
    const payer = createPayer();
    const stranger = createPayer();
    const nowS = Math.floor(Date.now() / 1000);
    const signed = (authorization: Partial<PaymentPayload['payload']['authorization']>) =>
      payer.pay(at.offer, { authorization });
    const accepting = (accepted: Partial<PaymentRequirements>) => payer.pay(at.offer, { accepted });
    const honest = await payer.pay(at.offer);
    const { signature } = honest.payload;
    expect(at.localCode(await accepting({ network: 'eip155:8453' }))).toBe('PAYMENT_WRONG_NETWORK');
    expect(at.localCode(await accepting({ asset: stranger.address }))).toBe('PAYMENT_WRONG_ASSET');
    expect(at.localCode(await accepting({ payTo: stranger.address }))).toBe('PAYMENT_WRONG_ASSET');
    expect(at.localCode(await signed({ to: stranger.address }))).toBe('PAYMENT_WRONG_ASSET');
    expect(at.localCode(await signed({ value: '249999' }))).toBe('PAYMENT_UNDERPAID');
    expect(at.localCode(await accepting({ amount: '249999' }))).toBe('PAYMENT_UNDERPAID');
    expect(at.localCode(await signed({ value: '250001' }))).toBe('PAYMENT_MALFORMED');
    const beyond = withAuthorization(honest, { validAfter: '9'.repeat(78) });
    expect(at.localCode(beyond)).toBe('PAYMENT_MALFORMED');
    expect(at.localCode(await signed({ validBefore: String(nowS - 1) }))).toBe('PAYMENT_EXPIRED');
    expect(at.localCode(await signed({ validBefore: String(nowS + 3) }))).toBe('PAYMENT_EXPIRED');
    expect(at.localCode(await signed({ validAfter: String(nowS + 60) }))).toBe('PAYMENT_EXPIRED');
    expect(at.localCode(await signed({ from: stranger.address }))).toBe('PAYMENT_FORGED');
    const damaged = [
      highS(signature, ORDER_HEX),
      flipBit(signature, 17),
      `${signature.slice(0, -2)}00`,
      `${signature.slice(0, -2)}1d`,
      `0x${'00'.repeat(64)}1b`,
    ];
    for (const each of damaged) {
      const forged = { ...honest, payload: { ...honest.payload, signature: each } };
      expect(at.localCode(forged), each).toBe('PAYMENT_FORGED');
    }
    expect(at.localCode(honest)).toBeUndefined();
  });
}

function provesSettlement(at: Scene): void {
  test('settling again answers with the first transaction and moves nothing', async () => {
    const payer = await at.funded();
    const payload = await payer.pay(at.offer);
    const first = await at.chain.settle(payload);
    expect(await at.chain.settle(payload)).toEqual(first);
    expect(await at.chain.balance(payer.address)).toBe('9750000');
  });

  test('one authorization settled three times at once moves money once', async () => {
    const payer = await at.funded();
    const payload = await payer.pay(at.offer);
    const outcomes = await Promise.all([1, 2, 3].map(() => at.chain.settle({ ...payload })));
    expect(new Set(outcomes.map((each) => each.state))).toEqual(new Set(['settled']));
    const hashes = outcomes.map((each) => 'transaction' in each && each.transaction);
    expect(new Set(hashes).size).toBe(1);
    expect(await at.chain.balance(payer.address)).toBe('9750000');
  });

  test('twenty payments at once all settle', async () => {
    const payer = await at.funded();
    const payloads = await Promise.all(Array.from({ length: 20 }, () => payer.pay(at.offer)));
    const outcomes = await Promise.all(payloads.map((each) => at.chain.settle(each)));
    expect(outcomes.map((each) => each.state)).toEqual(Array(20).fill('settled'));
    expect(await at.chain.balance(payer.address)).toBe('5000000');
  });

  test('a mutated payment never settles', async () => {
    const payer = await at.funded();
    const honest = await payer.pay(at.offer);
    const field = fc.constantFrom('from', 'to', 'nonce', 'signature' as const);
    const number = fc.constantFrom('value', 'validAfter', 'validBefore' as const);
    const mutation = fc.oneof(
      fc.record({ field, bit: fc.nat(519) }),
      fc.record({ field: number, add: fc.integer({ min: 1, max: 1_000_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(mutation, async (change) => {
        const mutated = mutate(honest, change);
        expect((await at.chain.settle(mutated)).state).not.toBe('settled');
      }),
      { numRuns: 60 },
    );
    expect(await at.chain.balance(payer.address)).toBe(FUNDS);
    expect((await at.chain.settle(honest)).state).toBe('settled');
  });
}

function provesLookUp(at: Scene): void {
  test('looking up tells unspent, settled and run out apart', async () => {
    const payer = await at.funded();
    const payload = await payer.pay(at.offer);
    expect(await at.chain.queryOutcome(payload)).toEqual({ state: 'unspent' });
    const settled = await at.chain.settle(payload);
    expect(await at.chain.queryOutcome(payload)).toEqual(settled);
    const old = await payer.pay(at.offer, { now: Date.now() - 3_600_000 });
    expect(await at.chain.queryOutcome(old)).toMatchObject({
      state: 'failed',
      fault: { code: 'PAYMENT_EXPIRED' },
    });
  });

  test('an authorization outside its window does not settle', async () => {
    const payer = await at.funded();
    const nowS = Math.floor(Date.now() / 1000);
    const early = { validAfter: String(nowS + 60) };
    const fault = { code: 'PAYMENT_EXPIRED' };
    const past = await payer.pay(at.offer, { now: Date.now() - 3_600_000 });
    expect(await at.chain.settle(past)).toMatchObject({ state: 'failed', fault });
    // It will be valid, so that it is not over.
    const ahead = await payer.pay(at.offer, { authorization: early });
    expect(await at.chain.settle(ahead)).toMatchObject({ state: 'unknown', fault });
    expect(await at.chain.balance(payer.address)).toBe(FUNDS);
  });
}

function provesTransfers(at: Scene): void {
  test('a refund with one token is paid once, also when asked for at once', async () => {
    await at.chain.faucet(at.chain.facts.treasury, FUNDS);
    const to = createPayer().address;
    const order = { to, amount: PRICE, token: `job-1:${to}:refund` };
    const [first, second] = await Promise.all([at.chain.transfer(order), at.chain.transfer(order)]);
    expect(first.state).toBe('settled');
    expect(second).toEqual(first);
    expect(await at.chain.transfer(order)).toEqual(first);
    expect(await at.chain.balance(to)).toBe(PRICE);
  });

  test('a token that was used for another transfer is a conflict', async () => {
    await at.chain.faucet(at.chain.facts.treasury, FUNDS);
    const to = createPayer().address;
    const token = `job-2:${to}`;
    await at.chain.transfer({ to, amount: PRICE, token });
    expect(await at.chain.transfer({ to, amount: '1', token })).toMatchObject({
      state: 'failed',
      fault: { code: 'PAYMENT_CONFLICT' },
    });
    expect(await at.chain.balance(to)).toBe(PRICE);
  });
}

type Mutation = { readonly field: string; readonly bit: number } | NumberMutation;
interface NumberMutation {
  readonly field: 'value' | 'validAfter' | 'validBefore';
  readonly add: number;
}

function mutate(payload: PaymentPayload, change: Mutation): PaymentPayload {
  const { authorization, signature } = payload.payload;
  if ('add' in change) {
    const value = String(BigInt(authorization[change.field]) + BigInt(change.add));
    return withAuthorization(payload, { [change.field]: value });
  }
  if (change.field === 'signature') {
    const damaged = flipBit(signature, change.bit);
    return { ...payload, payload: { authorization, signature: damaged } };
  }
  const key = change.field as 'from' | 'to' | 'nonce';
  return withAuthorization(payload, { [key]: flipBit(authorization[key], change.bit) });
}

function withAuthorization(
  payload: PaymentPayload,
  change: Partial<PaymentPayload['payload']['authorization']>,
): PaymentPayload {
  const authorization = { ...payload.payload.authorization, ...change };
  return { ...payload, payload: { ...payload.payload, authorization } };
}
