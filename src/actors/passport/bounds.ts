import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';

/**
 * How many passports are minted free of charge: for a wallet, in a day, and in all. An address
 * costs nothing, so wallets that never paid here get what is below `new…Max` and no more: the rest
 * is for those that did.
 */
export const PASSPORTS = {
  perWalletMax: 20,
  perDayMax: 1_000,
  newPerDayMax: 500,
  totalMax: 100_000,
  newTotalMax: 50_000,
} as const;

/** What a wallet that never paid is told that it can do. */
export const PAY_FIRST = 'A wallet whose payment for a call was settled here is let in.';

/**
 * Refuses a passport above a bound.
 *
 * @throws {AppError} `FORBIDDEN` per wallet, `RATE_LIMITED` per day, `OVERLOADED` in all
 */
export function assertRoom(
  {
    index,
    chain,
  }: { readonly index: PassportIndex; readonly chain: Pick<TrustChain, 'paidCalls'> },
  wallet: string,
  now: number,
): void {
  const { perWalletMax } = PASSPORTS;
  const isNew = chain.paidCalls(wallet) === 0;
  const perDayMax = isNew ? PASSPORTS.newPerDayMax : PASSPORTS.perDayMax;
  const totalMax = isNew ? PASSPORTS.newTotalMax : PASSPORTS.totalMax;
  const advice = isNew ? ` ${PAY_FIRST}` : '';
  const own = index.byWallet(wallet, perWalletMax).length;
  if (own >= perWalletMax) {
    throw new AppError('FORBIDDEN', {
      message: `A wallet gets at most ${perWalletMax} passports here; this one has them.`,
      data: { received: own + 1, allowed: perWalletMax },
    });
  }
  if (index.askedSince(now - DAY_MS, perDayMax) >= perDayMax) {
    throw new AppError('RATE_LIMITED', {
      message: `${perDayMax} passports were asked for in 24 hours; come back later.${advice}`,
      data: { received: perDayMax + 1, allowed: perDayMax, is_new_wallet: isNew },
    });
  }
  if (index.count() >= totalMax) {
    throw new AppError('OVERLOADED', {
      message: `This service keeps ${totalMax} passports, and has them.${advice}`,
      data: { received: totalMax + 1, allowed: totalMax, is_new_wallet: isNew },
    });
  }
}
