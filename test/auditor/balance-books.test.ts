import { expect, test } from 'vitest';
import { balanceBooks, listUnreportedFundings } from '../../src/auditor/balance-books.ts';
import type { ChainBooks, EscrowEvent, Movement } from '../../src/auditor/chain-books.ts';
import type { Claim } from '../../src/auditor/event-claims.ts';
import { seeded } from '../support/seeded.ts';

const TREASURY = `0x${'7'.repeat(40)}` as const;
const ESCROW = `0x${'e'.repeat(40)}` as const;
const TOKEN = `0x${'d'.repeat(40)}` as const;
const BUYER = `0x${'b'.repeat(40)}`;
const PROVIDER = `0x${'c'.repeat(40)}`;
const STRANGER = `0x${'a'.repeat(40)}`;

/** A chain on which a test moves money and lets the escrow speak. */
class Chain {
  readonly movements: Movement[] = [];
  readonly sayings: EscrowEvent[] = [];
  readonly claims: Claim[] = [];
  readonly balances = { treasury: 0n, escrow: 0n };
  readonly owed = new Map<string, bigint>();
  #block = 0;
  #logIndex = 0;

  /** Begins a transaction; what follows happens in it. */
  begin(): string {
    this.#block += 1;
    this.#logIndex = 0;
    return this.transaction;
  }

  get transaction(): string {
    return `0x${this.#block}`;
  }

  move(from: string, to: string, value: bigint): void {
    this.movements.push({ ...this.#place(), from, to, value });
    if (from === TREASURY) this.balances.treasury -= value;
    if (from === ESCROW) this.balances.escrow -= value;
    if (to === TREASURY) this.balances.treasury += value;
    if (to === ESCROW) this.balances.escrow += value;
  }

  say(saying: { readonly name: EscrowEvent['name'] } & Readonly<Record<string, unknown>>): void {
    this.sayings.push({ ...this.#place(), ...saying } as EscrowEvent);
  }

  claim(type: Claim['type'], amount: bigint, more: Partial<Claim> = {}): void {
    const { transaction, claims } = this;
    const base = { type, amount, transaction, ref: `r${claims.length}`, seq: claims.length };
    this.claims.push({
      ...base,
      fee: 0n,
      price: amount,
      isEscrow: type.startsWith('job.'),
      ...more,
    });
  }

  /** A job in the escrow. */
  fund(key: string, amount: bigint, isTold = true): string {
    const transaction = this.begin();
    this.move(BUYER, ESCROW, amount);
    this.say({ name: 'JobEscrowed', key, party: BUYER, amount, feeBps: 2_000 });
    if (isTold) this.claim('job.escrowed', amount);
    return transaction;
  }

  release(
    key: string,
    amount: bigint,
    o: { to?: string; isTold?: boolean; isFrozen?: boolean } = {},
  ) {
    const { to = PROVIDER, isTold = true, isFrozen = false } = o;
    const fee = amount / 5n;
    this.begin();
    this.say({ name: 'JobReleased', key, party: to, net: amount - fee, fee });
    if (isFrozen) this.owe(to, amount - fee);
    else this.move(ESCROW, to, amount - fee);
    if (fee > 0n) this.move(ESCROW, TREASURY, fee);
    if (isTold) this.claim('job.released', amount - fee, { fee, price: amount });
  }

  giveBack(key: string, amount: bigint, o: { isFrozen?: boolean } = {}): void {
    this.begin();
    this.say({ name: 'JobRefunded', key, party: BUYER, amount });
    if (o.isFrozen === true) this.owe(BUYER, amount);
    else this.move(ESCROW, BUYER, amount);
    this.claim('job.refunded', amount);
  }

  owe(party: string, amount: bigint): void {
    this.say({ name: 'Owed', party, amount });
    this.owed.set(party, (this.owed.get(party) ?? 0n) + amount);
  }

  /** Every party that is owed money fetches it. */
  fetch(to: string): void {
    for (const [party, amount] of this.owed) {
      this.begin();
      this.move(ESCROW, to, amount);
      this.owed.delete(party);
    }
  }

  pay(amount: bigint): void {
    this.begin();
    this.move(BUYER, TREASURY, amount);
    this.claim('settlement.settled', amount);
  }

  books(): ChainBooks {
    const { movements, sayings, balances } = this;
    const accounts = { token: TOKEN, treasury: TREASURY, escrow: ESCROW };
    return { ...accounts, head: this.#block, firstBlock: 0, movements, sayings, balances };
  }

  #place() {
    this.#logIndex += 1;
    const { transaction } = this;
    return { transaction, block: this.#block, logIndex: this.#logIndex };
  }
}

function audit(chain: Chain, outside: readonly string[] = []) {
  const balance = balanceBooks(chain.books(), chain.claims, new Set(outside));
  const { paidOut, refunded, kept, held, untoldOut, openJobs, owed, unaccounted } = balance;
  expect(paidOut + refunded + kept + held + untoldOut).toBe(balance.in);
  if (balance.differences.length === 0) expect(openJobs + owed + unaccounted).toBe(held);
  return balance;
}

/** A payment, a job that was released and one that is open. */
function honest(): Chain {
  const chain = new Chain();
  chain.pay(500_000n);
  chain.fund('one', 1_000_000n);
  chain.release('one', 1_000_000n);
  chain.fund('two', 2_000_000n);
  return chain;
}

test('moving nothing in our name, from or to anyone, is no difference', () => {
  const chain = honest();
  for (const ours of [TREASURY, ESCROW]) {
    for (const other of [STRANGER, BUYER, TREASURY, ESCROW]) {
      chain.begin();
      chain.move(ours, other, 0n);
      chain.move(other, ours, 0n);
    }
  }
  expect(audit(chain).differences).toEqual([]);
});

test('money that strangers send to our accounts is counted and is no difference', () => {
  const chain = honest();
  chain.begin();
  for (const value of [1n, 1n, 500_000n, 1_000_000n]) {
    chain.move(STRANGER, TREASURY, value);
    chain.move(BUYER, ESCROW, value);
  }
  const { differences, unaccounted, kept } = audit(chain);
  expect([differences, unaccounted, kept]).toEqual([[], 1_500_002n, 2_200_002n]);
});

test('a job that a stranger puts into the escrow is counted, whatever becomes of it', () => {
  for (const end of ['open', 'released', 'refunded'] as const) {
    const chain = honest();
    const transaction = chain.fund('strange', 7n, false);
    if (end === 'released') chain.release('strange', 7n, { isTold: false });
    if (end === 'refunded') {
      chain.giveBack('strange', 7n);
      chain.claims.pop();
    }
    expect(listUnreportedFundings(chain.books(), chain.claims)).toEqual([transaction]);
    const balance = audit(chain, [transaction]);
    expect([balance.differences, balance.thirdPartyJobs]).toEqual([[], 1]);
    // What the operator itself has funded must be told.
    expect(audit(chain).differences).not.toEqual([]);
  }
});

test('the end of a job that the feed has told must be told too, whoever brought it', () => {
  const chain = honest();
  const funded = chain.sayings.find(
    (saying) => saying.name === 'JobEscrowed' && saying.key === 'two',
  );
  chain.release('two', 2_000_000n, { isTold: false });
  const { differences } = audit(chain, [funded?.transaction ?? '', chain.transaction]);
  expect(differences.map(({ what }) => what)).toEqual([
    'the escrow emitted an event that is not in the feed (JobReleased)',
  ]);
});

for (const [name, party] of [
  ['the treasury', TREASURY],
  ['the escrow', ESCROW],
  ['the token', TOKEN],
] as const) {
  test(`the sums close when ${name} is the provider of a job`, () => {
    const chain = honest();
    chain.release('two', 2_000_000n, { to: party });
    expect(audit(chain).differences).toEqual([]);
  });

  test(`the sums close when ${name} is paid on release, or refunded`, () => {
    const chain = honest();
    chain.begin();
    chain.move(TREASURY, party, 300n);
    chain.claim('job.released', 300n, { isEscrow: false });
    chain.begin();
    chain.move(TREASURY, party, 200n);
    chain.claim('settlement.refunded', 200n);
    expect(audit(chain).differences).toEqual([]);
  });
}

test('money that is owed is fetched whole, to any address; a refund stays a refund', () => {
  const chain = honest();
  chain.giveBack('two', 2_000_000n, { isFrozen: true });
  expect(audit(chain)).toMatchObject({ owed: 2_000_000n, refunded: 0n, differences: [] });
  chain.begin();
  chain.move(ESCROW, STRANGER, 2_000_000n);
  expect(audit(chain)).toMatchObject({ owed: 0n, refunded: 2_000_000n, differences: [] });
});

test('less than a party is owed is not what it fetched', () => {
  const chain = honest();
  chain.release('two', 2_000_000n, { isFrozen: true });
  chain.begin();
  chain.move(ESCROW, STRANGER, 1_599_999n);
  expect(audit(chain).differences.map(({ what }) => what)).toContain(
    'money left without an event in the feed',
  );
});

test('what left before it was owed was not fetched', () => {
  const chain = honest();
  chain.begin();
  chain.move(ESCROW, STRANGER, 1_600_000n);
  chain.release('two', 2_000_000n, { isFrozen: true });
  expect(audit(chain).untoldOut).toBe(1_600_000n);
});

test('money that leaves the treasury untold is a difference', () => {
  const chain = honest();
  chain.begin();
  chain.move(TREASURY, STRANGER, 1n);
  const { differences, untoldOut } = audit(chain);
  expect([differences.length, untoldOut]).toEqual([1, 1n]);
});

test('whatever strangers do among honest jobs, the books balance and every sum closes', () => {
  const random = seeded(131);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Each>(all: readonly Each[]): Each => all[below(all.length)] as Each;
  for (let round = 0; round < 60; round += 1) {
    const chain = honest();
    const outside: string[] = [];
    for (let step = 0; step < 12; step += 1) {
      const value = BigInt(5 + below(2_000_000));
      const isFrozen = below(2) === 0;
      const acts: readonly (() => void)[] = [
        () => chain.pay(value),
        () => move(chain, pick([STRANGER, BUYER]), pick([TREASURY, ESCROW]), value),
        () => move(chain, pick([TREASURY, ESCROW]), pick([STRANGER, TREASURY, ESCROW]), 0n),
        () => {
          chain.fund(`s${step}`, value);
          const to = pick([PROVIDER, STRANGER, TREASURY, ESCROW, TOKEN]);
          chain.release(`s${step}`, value, { to, isFrozen });
        },
        () => {
          chain.fund(`s${step}`, value);
          chain.giveBack(`s${step}`, value, { isFrozen });
        },
        () => {
          outside.push(chain.fund(`s${step}`, value, false));
          if (isFrozen) chain.release(`s${step}`, value, { isTold: false });
        },
        () => chain.fetch(pick([STRANGER, PROVIDER, TREASURY, ESCROW])),
      ];
      pick(acts)();
    }
    expect(audit(chain, outside).differences, `round ${round}`).toEqual([]);
  }
});

function move(chain: Chain, from: string, to: string, value: bigint): void {
  chain.begin();
  chain.move(from, to, value);
}
