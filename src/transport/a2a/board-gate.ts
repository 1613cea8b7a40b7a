import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { isLoopback, networkOf } from '../http/address.ts';
import { type Rate, TokenBuckets } from '../mcp/call/token-buckets.ts';

/** How often the board may be asked: by one network, by one wallet, by all together. */
export const BOARD_RATES = {
  address: { burst: 300, perMinute: 1_200 },
  wallet: { burst: 120, perMinute: 600 },
  total: { burst: 5_000, perMinute: 15_000 },
} as const satisfies Record<string, Rate>;
/** Networks and wallets whose asking is counted; the one that asked longest ago goes first. */
export const BOARD_CALLERS_MAX = 20_000;

const ALL = 'all';

/** Counts calls of the board. Callers on this machine are bounded by wallet and total alone. */
export class BoardGate {
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
   * @throws {AppError} `RATE_LIMITED` with the limit, and when to come back.
   */
  address(remoteAddress: string): void {
    const now = this.#clock.now();
    if (this.#limitsLocal || !isLoopback(remoteAddress)) {
      refuse('address', this.#addresses.take(networkOf(remoteAddress), now));
    }
    refuse('total', this.#total.take(ALL, now));
  }

  /**
   * Counts a call whose address was counted before, as those of tools are.
   *
   * @throws {AppError} `RATE_LIMITED` likewise.
   */
  any(): void {
    refuse('total', this.#total.take(ALL, this.#clock.now()));
  }

  /**
   * Counts a call of a proven wallet.
   *
   * @throws {AppError} `RATE_LIMITED` likewise.
   */
  wallet(wallet: string): void {
    refuse('wallet', this.#wallets.take(wallet, this.#clock.now()));
  }
}

function refuse(limit: keyof typeof BOARD_RATES, waitMs: number): void {
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
