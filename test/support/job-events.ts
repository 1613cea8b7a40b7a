import type { PublicEvent } from '../../src/domain/event/event-log.ts';

/** A wallet by number. */
export function walletOf(n: number): string {
  return `0x${n.toString(16).padStart(40, '0')}`;
}

/** When the first event of a made feed happened. */
export const FEED_START = Date.UTC(2026, 0, 1);
const HASH = 'ab'.repeat(32);

/** What a made job is like; unsaid, it is an escrowed one of $20 that was delivered. */
export interface MadeJob {
  readonly buyer: number;
  readonly provider: number;
  readonly price?: bigint;
  readonly feeBps?: number;
  readonly day?: number;
  readonly over?: PublicEvent['data'];
}

/** A feed that is being made: each call gives the next event. */
export class MadeFeed {
  readonly events: PublicEvent[] = [];

  /** A job that was delivered and settled. */
  released(job: MadeJob): PublicEvent {
    const { price = 20_000_000n, feeBps = 2_000 } = job;
    const fee = (price * BigInt(feeBps)) / 10_000n;
    return this.#next('job.released', job, {
      net: String(price - fee),
      fee: String(fee),
      fee_bps: feeBps,
      deliverable_sha256: HASH,
      is_automatic: false,
      is_late: false,
    });
  }

  refunded(job: MadeJob, reason = 'unfulfilled'): PublicEvent {
    const { price = 20_000_000n } = job;
    return this.#next('job.refunded', job, { amount: String(price), reason });
  }

  disputed(job: MadeJob): PublicEvent {
    return this.#next('job.disputed', job, { by: walletOf(job.buyer) });
  }

  decided(job: MadeJob, upheld: 'buyer' | 'provider'): PublicEvent {
    return this.#next('job.decided', job, { upheld });
  }

  expired(job: MadeJob): PublicEvent {
    return this.#next('job.expired_unreleased', job, {});
  }

  lapsed(job: MadeJob): PublicEvent {
    return this.#next('job.lapsed', job, { reason: 'unfulfilled', funding: 'on_release' });
  }

  #next(type: string, job: MadeJob, data: PublicEvent['data']): PublicEvent {
    const { buyer, provider, price = 20_000_000n, day = 0, over = {} } = job;
    const seq = this.events.length;
    const event: PublicEvent = {
      seq,
      at: new Date(FEED_START + day * 86_400_000).toISOString(),
      type,
      ref: `job_${seq}`,
      subjects: [walletOf(buyer), walletOf(provider)],
      data: {
        buyer: walletOf(buyer),
        provider: walletOf(provider),
        price: String(price),
        funding: 'escrow',
        bid_id: 'bid_1',
        transaction: `0x${HASH}`,
        ...data,
        ...over,
      },
    };
    this.events.push(event);
    return event;
  }
}

/** A whole number from `low` to `high`. */
export function between(random: () => number, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}
