import { LRUCache } from 'lru-cache';
import { MINUTE_MS } from '../../../domain/common/time.ts';

/** A rate limit: a burst, and a refill rate per minute. */
export interface Rate {
  readonly burst: number;
  readonly perMinute: number;
}

/** Token buckets by key, in bounded memory. The least recently used one is forgotten. */
export class TokenBuckets {
  private readonly rate: Rate;
  private readonly buckets: LRUCache<string, Bucket>;

  constructor(rate: Rate, keptMax: number) {
    this.rate = rate;
    this.buckets = new LRUCache({ max: keptMax });
  }

  /** The number of tracked buckets. */
  get size(): number {
    return this.buckets.size;
  }

  /**
   * Takes tokens at a given time, in milliseconds.
   *
   * @param count - At most the burst.
   * @returns 0 on success, else the milliseconds until enough tokens exist. Nothing is taken then.
   */
  take(key: string, now: number, count = 1): number {
    const { burst, perMinute } = this.rate;
    const bucket = this.bucket(key, now);
    const earned = ((now - bucket.at) * perMinute) / MINUTE_MS;
    bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, earned));
    bucket.at = now;
    if (bucket.tokens < count) {
      return Math.ceil(((count - bucket.tokens) * MINUTE_MS) / perMinute);
    }
    bucket.tokens -= count;
    return 0;
  }

  private bucket(key: string, now: number): Bucket {
    const known = this.buckets.get(key);
    if (known !== undefined) return known;
    const bucket = { tokens: this.rate.burst, at: now };
    this.buckets.set(key, bucket);
    return bucket;
  }
}

interface Bucket {
  tokens: number;
  at: number;
}
