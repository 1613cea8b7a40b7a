import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { isLoopback, networkOf } from '../http/address.ts';
import { type Rate, TokenBuckets } from '../mcp/call/token-buckets.ts';

/** Rate limits of the board: per network, per wallet, and in total. */
export const BOARD_RATES = {
  address: { burst: 300, perMinute: 1_200 },
  wallet: { burst: 120, perMinute: 600 },
  total: { burst: 5_000, perMinute: 15_000 },
} as const satisfies Record<string, Rate>;
/** Networks and wallets that the limiter tracks. It forgets the least recent one first. */
export const BOARD_CALLERS_MAX = 20_000;

const ALL = 'all';

/** Limits calls to the board. For local callers, only the wallet and total limits apply. */
export class BoardRateLimiter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limitsLocal: boolean;
  readonly #addresses = new TokenBuckets(BOARD_RATES.address, BOARD_CALLERS_MAX);
  readonly #wallets = new TokenBuckets(BOARD_RATES.wallet, BOARD_CALLERS_MAX);
  readonly #total = new TokenBuckets(BOARD_RATES.total, 1);

  constructor(clock: Pick<Clock, 'now'>, limitsLocal: boolean) {
    this.#clock = clock;
    this.#limitsLocal = limitsLocal;
  }

  /**
   * Counts a call from an address.
   *
   * @throws {AppError} `RATE_LIMITED` with the limit and the delay.
   */
  countAddress(remoteAddress: string): void {
    const now = this.#clock.now();
    if (this.#limitsLocal || !isLoopback(remoteAddress)) {
      rejectIfLimited('address', this.#addresses.take(networkOf(remoteAddress), now));
    }
    rejectIfLimited('total', this.#total.take(ALL, now));
  }

  /**
   * Counts a call whose address is already counted, such as a tool call.
   *
   * @throws {AppError} `RATE_LIMITED` with the limit and the delay.
   */
  countCall(): void {
    rejectIfLimited('total', this.#total.take(ALL, this.#clock.now()));
  }

  /**
   * Counts a call of an authenticated wallet.
   *
   * @throws {AppError} `RATE_LIMITED` with the limit and the delay.
   */
  countWallet(wallet: string): void {
    rejectIfLimited('wallet', this.#wallets.take(wallet, this.#clock.now()));
  }
}

function rejectIfLimited(limit: keyof typeof BOARD_RATES, waitMs: number): void {
  if (waitMs === 0) return;
  const { burst, perMinute } = BOARD_RATES[limit];
  throw new AppError('RATE_LIMITED', {
    data: {
      limit,
      retry_after_s: Math.ceil(waitMs / SECOND_MS),
      allowed: { burst, per_minute: perMinute },
    },
  });
}
