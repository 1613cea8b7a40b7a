import { AppError } from '../../domain/error.ts';
import type { PassportIndex } from '../../domain/ports/passport-index.ts';
import { DAY_MS } from '../../domain/time.ts';

/** How many passports are minted free of charge: for a wallet, in a day, and in all. */
export const PASSPORTS = { perWalletMax: 20, perDayMax: 1_000, totalMax: 100_000 } as const;

/**
 * Refuses a passport above a bound.
 *
 * @throws {AppError} `FORBIDDEN` per wallet, `RATE_LIMITED` per day, `OVERLOADED` in all
 */
export function assertRoom(index: PassportIndex, wallet: string, now: number): void {
  const { perWalletMax, perDayMax, totalMax } = PASSPORTS;
  const own = index.byWallet(wallet, perWalletMax).length;
  if (own >= perWalletMax) {
    throw new AppError('FORBIDDEN', {
      message: `A wallet gets at most ${perWalletMax} passports here; this one has them.`,
      data: { received: own + 1, allowed: perWalletMax },
    });
  }
  if (index.askedSince(now - DAY_MS, perDayMax) >= perDayMax) {
    throw new AppError('RATE_LIMITED', {
      message: `At most ${perDayMax} passports are minted in 24 hours; come back later.`,
      data: { allowed: perDayMax },
    });
  }
  if (index.count() >= totalMax) {
    throw new AppError('OVERLOADED', {
      message: `This service keeps at most ${totalMax} passports, and has them.`,
      data: { allowed: totalMax },
    });
  }
}
