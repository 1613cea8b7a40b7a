import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import { AppError } from '../../domain/common/error.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { PassportIndex } from '../../domain/passport/passport-index.ts';

/**
 * Limits for free passports: per wallet, per day, and in total. Addresses cost nothing, so wallets
 * that never paid get the lower `new…Max` limits; the rest is reserved for paying wallets.
 */
export const PASSPORT_LIMITS = {
  perWalletMax: 20,
  perDayMax: 1_000,
  newPerDayMax: 500,
  totalMax: 100_000,
  newTotalMax: 50_000,
} as const;

/** Advice for a wallet that never paid and reached a limit. */
export const PAID_LIMIT_ADVICE =
  'Wallets with a settled payment on this server have a higher limit.';

/**
 * Throws if one more passport would exceed a limit.
 *
 * @throws {AppError} `FORBIDDEN` per wallet, `RATE_LIMITED` per day, `OVERLOADED` in total
 */
export function assertPassportLimits(
  {
    index,
    trust,
  }: { readonly index: PassportIndex; readonly trust: Pick<TrustChain, 'countPaidCalls'> },
  wallet: string,
  now: number,
): void {
  const { perWalletMax } = PASSPORT_LIMITS;
  const isNew = trust.countPaidCalls(wallet) === 0;
  const perDayMax = isNew ? PASSPORT_LIMITS.newPerDayMax : PASSPORT_LIMITS.perDayMax;
  const totalMax = isNew ? PASSPORT_LIMITS.newTotalMax : PASSPORT_LIMITS.totalMax;
  const advice = isNew ? ` ${PAID_LIMIT_ADVICE}` : '';
  const ownCount = index.byWallet(wallet, perWalletMax).length;
  if (ownCount >= perWalletMax) {
    throw new AppError('FORBIDDEN', {
      message: `This wallet has ${ownCount} passports; the limit is ${perWalletMax}.`,
      data: { received: ownCount + 1, allowed: perWalletMax },
    });
  }
  if (index.countRequestedSince(now - DAY_MS, perDayMax) >= perDayMax) {
    throw new AppError('RATE_LIMITED', {
      message: `The limit of ${perDayMax} passports in 24 hours is reached. Retry later.${advice}`,
      data: { received: perDayMax + 1, allowed: perDayMax, is_new_wallet: isNew },
    });
  }
  if (index.count() >= totalMax) {
    throw new AppError('OVERLOADED', {
      message: `The server has reached its limit of ${totalMax} passports.${advice}`,
      data: { received: totalMax + 1, allowed: totalMax, is_new_wallet: isNew },
    });
  }
}
