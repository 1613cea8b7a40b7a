import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  GAS_BUDGETS,
  type GasBudget,
  type GasPurpose,
} from '../../../src/providers/chain/trust/gas-budgets.ts';
import { GAS_HELD_MAX } from '../../../src/providers/chain/trust/gas-ledger.ts';
import { GAS_LINES_MAX, openGasMeter } from '../../../src/providers/chain/trust/gas-meter.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DAY = 86_400_000;
const folder = tempDir();
afterAll(() => folder.remove());
const files = { opened: 0 };
const ALICE = `0x${'A1'.repeat(20)}`;
const MAL = `0x${'bd'.repeat(20)}`;

function meter(budget: bigint | undefined = 10_000n) {
  files.opened += 1;
  const file = join(folder.path, `${files.opened}.jsonl`);
  const clock = { now: 20_000 * DAY };
  const open = () => openGasMeter({ now: () => clock.now, budget, file });
  return { clock, open, file, gas: open() };
}

function anchor(name: string, wei: bigint, gas = 100) {
  return { name, purpose: 'anchors' as const, gas, wei };
}

const spent = (wei: bigint, gas = 100) => ({ gas, wei, end: 'spent' as const });
const failed = { gas: 50_000, wei: 0n, end: 'failed' as const };
const earned = { gas: 50_000, wei: 0n, end: 'earned' as const };

test('a call counts what it may cost, then what it cost', () => {
  const { gas } = meter();
  gas.hold(anchor('a', 30n));
  gas.hold(anchor('b', 20n));
  expect([gas.used(), gas.isHeld('a')]).toEqual([50n, true]);
  gas.settle('a', spent(12n));
  expect([gas.used(), gas.isHeld('a')]).toEqual([32n, false]);
  gas.settle('a', spent(99n));
  gas.settle('nobody', spent(99n));
  expect(gas.used()).toBe(32n);
  gas.raiseCost('b', 25n);
  gas.raiseCost('a', 25n);
  expect([gas.used(), gas.usedGas('anchors'), gas.usedGas('escrow')]).toEqual([37n, 200, 0]);
});

test('one whose answer is lost counts on, also after a restart, and once', () => {
  const { gas, open, file } = meter();
  gas.hold(anchor('lost', 30n));
  const again = open();
  expect([again.used(), again.isHeld('lost')]).toEqual([30n, true]);
  again.hold(anchor('lost', 40n));
  expect(again.used()).toBe(40n);
  again.hold(anchor('torn', 5n));
  truncateSync(file, readFileSync(file).length - 20);
  expect(open().used()).toBe(40n);
});

test('a day begins with what is under way, which counts no longer than two days', () => {
  const { gas, clock, open } = meter();
  gas.hold(anchor('done', 30n));
  gas.settle('done', spent(30n));
  gas.hold(anchor('lost', 20n));
  clock.now += DAY;
  expect(gas.used()).toBe(20n);
  gas.hold(anchor('new', 1n));
  clock.now += DAY;
  expect([gas.used(), open().used()]).toEqual([1n, 1n]);
  gas.settle('new', spent(5n));
  expect(gas.used()).toBe(5n);
});

test('what is counted one by one is bounded, and nothing of it is lost', () => {
  const { gas, open, file } = meter(10n ** 9n);
  for (let n = 0; n < GAS_HELD_MAX + 5; n += 1) gas.hold(anchor(`call ${n}`, 2n));
  expect(gas.used()).toBe(BigInt(2 * (GAS_HELD_MAX + 5)));
  expect([gas.isHeld('call 4'), gas.isHeld('call 5')]).toEqual([false, true]);
  expect(open().used()).toBe(gas.used());
  for (let n = 0; n < GAS_LINES_MAX; n += 1) gas.raiseCost('call 9', 2n);
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(GAS_LINES_MAX);
  expect(open().used()).toBe(gas.used());
});

test('the shares of the purposes are the whole budget', () => {
  const shares = Object.values(GAS_BUDGETS).map(({ percent }) => percent);
  expect(shares.reduce((sum, percent) => sum + percent, 0)).toBe(100);
});

const PURPOSES = Object.keys(GAS_BUDGETS) as GasPurpose[];

test.each(PURPOSES)('used-up %s refuses itself alone, with figures and the next day', (purpose) => {
  const budget = 10_000n;
  const { gas, open, clock } = meter(budget);
  const own: GasBudget = GAS_BUDGETS[purpose];
  const wei = (budget * BigInt(own.percent)) / 100n;
  expect(gas.hold({ name: 'all of it', purpose, gas: 1, wei })).toBeUndefined();
  const over = { name: 'over', purpose, gas: 1, wei: 1n };
  for (const each of [gas, open()]) {
    expect(each.hold(over)).toEqual({
      code: 'GAS_BUDGET',
      message: `The daily gas for ${purpose} is used up. It resets at 2024-10-05T00:00:00.000Z.`,
      data: {
        purpose,
        scope: 'purpose',
        used: 1,
        limit: own.gasPerDay,
        cost_gas: 1,
        cost_wei: '1',
        used_gas: 1,
        budget_gas: own.gasPerDay,
        used_wei: `${wei}`,
        budget_wei: `${wei}`,
        begins_anew: '2024-10-05T00:00:00.000Z',
      },
    });
    expect([each.used(), each.isHeld('over')]).toEqual([wei, false]);
    for (const other of PURPOSES.filter((one) => one !== purpose)) {
      expect(each.checkBudget({ ...over, purpose: other })).toBeUndefined();
    }
  }
  gas.settle('all of it', spent(wei, 1));
  clock.now += DAY;
  expect(gas.hold(over)).toBeUndefined();
});

test.each(PURPOSES)('%s is bounded in units where gas costs nothing', (purpose) => {
  const { gas } = meter(undefined);
  const { gasPerCall, gasPerDay }: GasBudget = GAS_BUDGETS[purpose];
  const call = { purpose, gas: gasPerCall, wei: 0n };
  let sent = 0;
  while (sent < 20_000 && gas.hold({ name: `${sent}`, ...call }) === undefined) {
    gas.settle(`${sent}`, spent(0n, gasPerCall));
    sent += 1;
  }
  expect(gas.usedGas(purpose)).toBeLessThanOrEqual(gasPerDay);
  expect(gas.usedGas(purpose)).toBeGreaterThan(gasPerDay - 2 * gasPerCall);
  expect(gas.checkBudget({ ...call, gas: gasPerCall + 1 })?.data).toMatchObject({ scope: 'call' });
});

test('a wallet whose transactions failed three times is refused, in any spelling, and alone', () => {
  const { gas, open, clock } = meter(undefined);
  const pay = { purpose: 'settlement' as const, wallet: MAL, gas: 60_000, wei: 0n };
  for (const name of ['1', '2', '3']) {
    expect(gas.hold({ name, ...pay })).toBeUndefined();
    gas.settle(name, failed);
  }
  for (const wallet of [MAL, MAL.toUpperCase().replace('X', 'x')]) {
    expect(open().checkBudget({ ...pay, wallet })?.data).toMatchObject({
      scope: 'wallet',
      wallet: MAL,
      failures: 3,
      limit: 3,
      used_gas: 150_000,
    });
  }
  expect(gas.checkBudget({ ...pay, wallet: ALICE })).toBeUndefined();
  clock.now += DAY;
  expect(gas.checkBudget(pay)).toBeUndefined();
});

test('payments that were settled count nothing, however many, and leave no failure', () => {
  const { gas, open } = meter(undefined);
  for (let n = 0; n < 100; n += 1) {
    const pay = { purpose: 'contract_settlement' as const, wallet: ALICE, gas: 300_000, wei: 0n };
    expect(gas.hold({ name: `${n}`, ...pay })).toBeUndefined();
    gas.settle(`${n}`, earned);
  }
  expect([gas.usedGas('contract_settlement'), open().settledPayments(ALICE)]).toEqual([0, 100]);
});

test('what a wallet contract has under way counts as failed until it is known', () => {
  const { gas } = meter(undefined);
  const pay = { purpose: 'contract_settlement' as const, wallet: MAL, gas: 300_000, wei: 0n };
  for (const name of ['1', '2', '3']) expect(gas.hold({ name, ...pay })).toBeUndefined();
  expect(gas.hold({ name: '4', ...pay })?.code).toBe('GAS_BUDGET');
  gas.settle('1', earned);
  expect(gas.hold({ name: '4', ...pay })).toBeUndefined();
});

test('wallets that never paid share half of a purpose; the rest is for those that have', () => {
  const { gas, open } = meter(undefined);
  gas.hold({ name: 'paid', purpose: 'settlement', wallet: ALICE, gas: 60_000, wei: 0n });
  gas.settle('paid', earned);
  const ask = { purpose: 'passports' as const, gas: 2_000_000, wei: 0n };
  let given = 0;
  for (; given < 1_000; given += 1) {
    const wallet = `0x${given.toString(16).padStart(40, '0')}`;
    if (gas.hold({ ...ask, name: `${given}`, wallet }) !== undefined) break;
  }
  expect(given * ask.gas).toBe(GAS_BUDGETS.passports.gasPerDay / 2);
  expect(open().checkBudget({ ...ask, wallet: MAL })?.data).toMatchObject({ scope: 'new_wallets' });
  expect(open().checkBudget({ ...ask, wallet: ALICE })).toBeUndefined();
});

test('a job that was released has paid for its calls, but not for those that failed', () => {
  const { gas, open } = meter(undefined);
  const call = { wallet: ALICE, job: '0xjob', gas: 200_000, wei: 0n };
  gas.hold({ name: 'fund', purpose: 'escrow', ...call });
  gas.settle('fund', spent(0n, 180_000));
  gas.hold({ name: 'move', purpose: 'moves', ...call });
  gas.settle('move', failed);
  gas.hold({ name: 'move', purpose: 'moves', ...call });
  gas.settle('move', spent(0n, 70_000));
  const counted = () => [gas.usedGas('escrow'), gas.usedGas('moves')];
  expect(counted()).toEqual([180_000, 120_000]);
  gas.markJobPaid('0xother');
  expect(counted()).toEqual([180_000, 120_000]);
  gas.markJobPaid('0xjob');
  expect(counted()).toEqual([0, 50_000]);
  expect(open().usedGas('moves')).toBe(50_000);
});
