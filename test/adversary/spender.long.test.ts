import { expect, test } from 'vitest';
import type { PartyMove } from '../../src/domain/chain/trust-chain.ts';
import {
  GAS_BUDGETS,
  type GasBudget,
  type GasPurpose,
} from '../../src/providers/chain/trust/gas-budgets.ts';
import { openPaymentChain } from '../../src/providers/payment/payment-chain.ts';
import { BURN_SIGNS, deployBurning, sentSince } from '../support/burning-wallet.ts';
import { nodeRpc } from '../support/node-rpc.ts';
import { createPayer, requirementsOf } from '../support/payer.ts';
import { type Spender, type SpentDay, spentDay } from '../support/spender.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Attempt, search } from './search.ts';

const PURPOSES = Object.keys(GAS_BUDGETS) as GasPurpose[];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FAILURES = 3;
const BURNS_MAX = FAILURES * 300_000;

/** What the contract wallets of one attempt may cost the operator on a real node. */
async function burnOnNode({ size, pick, integer, random }: Attempt): Promise<void> {
  const folder = tempDir();
  const options = { dataDir: folder.path, now: Date.now, notice: () => undefined };
  const chain = await openPaymentChain({ kind: 'local', ...options });
  try {
    const { rpcUrl } = chain.facts;
    const offer = requirementsOf(chain.facts);
    const head = () => nodeRpc<string>(rpcUrl, 'eth_blockNumber').then(Number);
    for (let wallet = 0; wallet < 1 + (size % 4); wallet += 1) {
      const owner = createPayer();
      const block = await head();
      const sign = integer(0, BURN_SIGNS.length - 1);
      const bounds = [
        0n,
        1n,
        BigInt(block + integer(0, 8)),
        BigInt(integer(1, 300_000)),
        1n << 255n,
      ];
      const rule = { sign, comparison: integer(0, 2), bound: pick(bounds) };
      const address = await deployBurning(rpcUrl, owner.address, rule);
      await chain.faucet(address, '1000000000');
      const begun = await head();
      for (let call = 0; call < 2 * FAILURES + 2; call += 1) {
        const signed = await owner.pay(offer, { authorization: { from: address as never } });
        const { signature } = signed.payload;
        const payload = { ...signed, payload: { ...signed.payload, signature: `${signature}ab` } };
        if (random() < 0.5 && (await chain.checkOnChain(payload)) !== undefined) continue;
        await chain.settle(payload);
      }
      const sent = await sentSince(rpcUrl, chain.trust.operator, begun);
      const failed = sent.filter(({ isFailed }) => isFailed);
      const burnt = failed.reduce((sum, { gas }) => sum + gas, 0);
      const story = `${BURN_SIGNS[sign]} ${rule.comparison} ${rule.bound}: ${JSON.stringify(sent)}`;
      expect(failed.length, story).toBeLessThanOrEqual(FAILURES);
      expect(burnt, story).toBeLessThanOrEqual(BURNS_MAX);
    }
  } finally {
    await chain.close();
    folder.remove();
  }
}

/** A day with what the operator has spent on it, counted beside the meter. */
interface Watched {
  readonly day: SpentDay;
  readonly wallets: readonly Spender[];
  readonly contracts: readonly Spender[];
  readonly jobs: { readonly key: string; readonly buyer: Spender; readonly provider: Spender }[];
  readonly failures: Map<string, number>;
}

const MOVES: readonly PartyMove[] = [
  { move: 'fulfil', deliverable: `0x${'11'.repeat(32)}` },
  { move: 'release' },
  { move: 'giveBack' },
  { move: 'dispute', reason: `0x${'22'.repeat(32)}` },
  { move: 'withdrawDispute' },
];

type Outcome = { readonly state: string; readonly fault?: { readonly code: string } };

function usage({ chain: { gas } }: SpentDay): Record<GasPurpose, number> {
  return Object.fromEntries(PURPOSES.map((purpose) => [purpose, gas.usedGas(purpose)])) as never;
}

/** Earlier calls of the day, up to anything between nothing and the end of some budgets. */
function spendBefore({ chain: { gas } }: SpentDay, { integer, random, hex }: Attempt): void {
  for (const purpose of PURPOSES) {
    if (random() < 0.6) continue;
    const { gasPerCall, gasPerDay }: GasBudget = GAS_BUDGETS[purpose];
    const share = random() < 0.5 ? 1 : random();
    for (let used = 0; used < share * gasPerDay; used += gasPerCall) {
      const name = `${purpose} before ${used}`;
      const asked = integer(0, 1) === 0 ? {} : { wallet: `0x${hex(20)}` };
      const fault = gas.hold({ name, purpose, gas: gasPerCall, wei: 0n, ...asked });
      if (fault === undefined) gas.settle(name, { gas: gasPerCall, wei: 0n, end: 'spent' });
    }
  }
}

async function act(watched: Watched, attempt: Attempt): Promise<void> {
  const { day, wallets, contracts, jobs } = watched;
  const { pick } = attempt;
  const by = pick(wallets);
  switch (
    pick(['pay', 'race', 'burn', 'fund', 'move', 'move', 'giveBack', 'mint', 'anchor', 'time'])
  ) {
    case 'pay':
      return judged(watched, { purpose: 'settlement', by }, () => day.pay(by));
    case 'race':
      return judged(watched, { purpose: 'settlement', by }, () => day.payRaced(by));
    case 'burn': {
      const wallet = pick(contracts);
      return judged(watched, { purpose: 'contract_settlement', by: wallet }, () => day.pay(wallet));
    }
    case 'fund': {
      const [buyer, provider] = [pick([...wallets, ...contracts]), pick(wallets)];
      return judged(watched, { purpose: 'escrow', by: buyer }, async () => {
        const outcome = await day.fund(buyer, provider);
        if (outcome.state === 'done') jobs.push({ key: outcome.result.key, buyer, provider });
        return outcome;
      });
    }
    case 'giveBack':
    case 'move': {
      if (jobs.length === 0) return;
      const { key, buyer, provider } = pick(jobs);
      const move = pick(MOVES);
      const isProvider = move.move === 'fulfil' || move.move === 'giveBack';
      const purpose = move.move === 'giveBack' ? 'give_backs' : 'moves';
      const party = isProvider ? provider : buyer;
      const isPaying = move.move === 'release';
      return judged(watched, { purpose, by: party, isPaying }, () => day.move(key, party, move));
    }
    case 'mint':
      return judged(watched, { purpose: 'passports', by }, () => day.register(by));
    case 'anchor': {
      const { anchor } = day.chain.trust;
      const size = ((await anchor.latest())?.size ?? 0) + 1;
      await anchor.anchor(size, `0x${attempt.hex(32)}`);
      return;
    }
    case 'time': {
      const before = Math.floor(day.clock.now / DAY_MS);
      day.clock.now += attempt.integer(1, 6) * HOUR_MS;
      if (Math.floor(day.clock.now / DAY_MS) > before) watched.failures.clear();
    }
  }
}

interface Asked {
  readonly purpose: GasPurpose;
  readonly by: Spender;
  /** The fee of the job pays for its calls. */
  readonly isPaying?: boolean;
}

/** Carries an action out and checks what it has cost. */
async function judged(
  { day, failures }: Watched,
  { purpose, by, isPaying = false }: Asked,
  action: () => Promise<Outcome>,
): Promise<void> {
  const before = usage(day);
  const blocks = day.chain.ledger.contracts.block;
  const outcome = await action();
  const after = usage(day);
  const story = `${purpose} of ${by.address}: ${JSON.stringify(outcome)}`;
  for (const each of PURPOSES) {
    expect(after[each], `${each} after ${story}`).toBeLessThanOrEqual(GAS_BUDGETS[each].gasPerDay);
  }
  const isSent = day.chain.ledger.contracts.block > blocks;
  const isRefused = outcome.fault?.code === 'GAS_BUDGET';
  if (isRefused) expect([after, isSent], story).toEqual([before, false]);
  const isSettling = purpose === 'settlement' || purpose === 'contract_settlement';
  if (isSettling && outcome.state === 'failed' && !isRefused) {
    expect(after[purpose], `a failed settlement counts: ${story}`).toBeGreaterThan(before[purpose]);
    const key = `${purpose} ${by.address}`;
    failures.set(key, (failures.get(key) ?? 0) + 1);
    expect(failures.get(key), story).toBeLessThanOrEqual(FAILURES);
  }
  if (isSettling && outcome.state === 'settled') expect(after, story).toEqual(before);
  if (!isSettling && isSent && outcome.state === 'done') {
    const spent = after[purpose] - before[purpose];
    if (!isPaying) expect(spent, `a call counts: ${story}`).toBeGreaterThan(0);
  }
}

async function spend(attempt: Attempt): Promise<void> {
  const day = spentDay();
  const { integer, size } = attempt;
  const known = day.wallet();
  expect((await day.pay(known)).state).toBe('settled');
  spendBefore(day, attempt);
  const full = usage(day);
  const some = (make: () => Spender) => Array.from({ length: 1 + integer(0, 4) }, make);
  const watched: Watched = {
    day,
    jobs: [],
    failures: new Map(),
    wallets: some(day.wallet),
    contracts: some(() => day.contract(() => attempt.random() < 0.8)),
  };
  for (let step = 0; step < 4 * size + 8; step += 1) await act(watched, attempt);
  // A wallet that pays is served, and one that has paid before has room where others have none.
  const open = (purpose: GasPurpose) =>
    full[purpose] < GAS_BUDGETS[purpose].gasPerDay * 0.6 || day.clock.now >= Date.UTC(2026, 5, 2);
  if (open('settlement')) expect((await day.pay(known)).state, 'who has paid').toBe('settled');
  if (open('passports')) expect((await day.register(known)).state, 'who has paid').toBe('done');
}

test('wallets that burn gas in the block cost a bounded part of it on a real node', async () => {
  await search('spender', burnOnNode, { roundsMax: 4, roundsMin: 2, sizeMax: 4 });
}, 600_000);

test('nothing that wallets do in a day spends more than a budget, or what is refused', async () => {
  expect(await search('spender', spend, { roundsMin: 20 })).toBeGreaterThan(0);
}, 1_200_000);
