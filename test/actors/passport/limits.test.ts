import { expect, test } from 'vitest';
import { assertPassportLimits } from '../../../src/actors/passport/limits.ts';
import type { AppError } from '../../../src/domain/common/error.ts';
import { DAY_MS } from '../../../src/domain/common/time.ts';
import type { PassportIndex } from '../../../src/domain/passport/passport-index.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const NOW = 100 * DAY_MS;

/** Refusals of a wallet by how many passports there are. */
function refused(counts: { own?: number; today?: number; all?: number; paid?: number }) {
  const { own = 0, today = 0, all = 0, paid = 0 } = counts;
  const index = {
    byWallet: (_: string, limit: number) => Array.from({ length: Math.min(own, limit) }, String),
    countRequestedSince: (at: number, limit: number) =>
      at === NOW - DAY_MS ? Math.min(today, limit) : -1,
    count: () => all,
  } as unknown as PassportIndex;
  try {
    assertPassportLimits({ index, trust: { countPaidCalls: () => paid } }, WALLET, NOW);
    return undefined;
  } catch (thrown) {
    const { code, data } = thrown as AppError;
    return [code, data?.['allowed']];
  }
}

test('wallets that never paid leave half of a day, and of all, to those that have', () => {
  const [newPerDayMax, perDayMax, newTotalMax, totalMax, perWalletMax] = [
    500, 1_000, 50_000, 100_000, 20,
  ];
  expect(refused({ today: newPerDayMax - 1, all: newTotalMax - 1 })).toBeUndefined();
  expect(refused({ today: newPerDayMax })).toEqual(['RATE_LIMITED', newPerDayMax]);
  expect(refused({ all: newTotalMax })).toEqual(['OVERLOADED', newTotalMax]);
  const paid = 1;
  expect(refused({ today: perDayMax - 1, all: totalMax - 1, paid })).toBeUndefined();
  expect(refused({ today: perDayMax, paid })).toEqual(['RATE_LIMITED', perDayMax]);
  expect(refused({ all: totalMax, paid })).toEqual(['OVERLOADED', totalMax]);
  expect(refused({ own: perWalletMax, paid })).toEqual(['FORBIDDEN', perWalletMax]);
});
