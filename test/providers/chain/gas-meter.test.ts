import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { GAS_HELD_MAX, openGasMeter } from '../../../src/providers/chain/trust/gas-meter.ts';
import { tempDir } from '../../support/temp-dir.ts';

const DAY = 86_400_000;
const folder = tempDir();
afterAll(() => folder.remove());
const files = { opened: 0 };

function meter() {
  files.opened += 1;
  const file = join(folder.path, `${files.opened}.json`);
  const clock = { now: 20_000 * DAY };
  const open = () => openGasMeter({ now: () => clock.now, budget: 100n, file });
  return { clock, open, file, gas: open() };
}

test('a call counts what it may cost, then what it cost', () => {
  const { gas } = meter();
  gas.hold('a', 30n);
  gas.hold('b', 20n);
  expect([gas.used(), gas.isHeld('a')]).toEqual([50n, true]);
  gas.settle('a', 12n);
  expect([gas.used(), gas.isHeld('a')]).toEqual([32n, false]);
  gas.settle('a', 99n);
  gas.settle('nobody', 99n);
  expect(gas.used()).toBe(32n);
});

test('one whose answer is lost counts on, also after a restart, and once', () => {
  const { gas, open } = meter();
  gas.hold('lost', 30n);
  const again = open();
  expect([again.used(), again.isHeld('lost')]).toEqual([30n, true]);
  again.hold('lost', 40n);
  expect(again.used()).toBe(40n);
});

test('a day begins with what is under way, which counts no longer than two days', () => {
  const { gas, clock } = meter();
  gas.hold('done', 30n);
  gas.settle('done', 30n);
  gas.hold('lost', 20n);
  clock.now += DAY;
  expect(gas.used()).toBe(20n);
  gas.hold('new', 1n);
  clock.now += DAY;
  expect(gas.used()).toBe(1n);
  gas.settle('new', 5n);
  expect(gas.used()).toBe(5n);
});

test('what is counted one by one is bounded, and nothing of it is lost', () => {
  const { gas, open } = meter();
  for (let n = 0; n < GAS_HELD_MAX + 5; n += 1) gas.hold(`call ${n}`, 2n);
  expect(gas.used()).toBe(BigInt(2 * (GAS_HELD_MAX + 5)));
  expect([gas.isHeld('call 4'), gas.isHeld('call 5')]).toEqual([false, true]);
  expect(open().used()).toBe(gas.used());
});

test('a count that an older server kept goes on, and free gas writes nothing', () => {
  const { gas, file, open } = meter();
  gas.hold('free', 0n);
  expect(existsSync(file)).toBe(false);
  gas.hold('a', 3n);
  gas.settle('a', 3n);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ used: '3', held: {} });
  expect(open().used()).toBe(3n);
});
