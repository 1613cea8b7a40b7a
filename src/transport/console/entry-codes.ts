import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Random } from '../../domain/common/random.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';

/** Lifetime of a code, in milliseconds. */
export const CODE_MS = 10 * MINUTE_MS;
/** Most valid codes. A further one expires the oldest. */
export const VALID_CODES_MAX = 32;
/** Most remembered codes, which distinguish a used or expired code from a wrong one. */
const CODES_KEPT_MAX = 128;
const CODE_BYTES = 16;

/** A single-use code that opens the console. */
export interface EntryCode {
  readonly code: string;
  /** In milliseconds. */
  readonly expiresAt: number;
}

/** Single-use console codes. Only their hashes are kept, in memory. */
export class EntryCodes {
  private readonly clock: Clock;
  private readonly random: Random;
  /** Oldest first. */
  private readonly codes: StoredCode[] = [];

  constructor(clock: Clock, random: Random) {
    this.clock = clock;
    this.random = random;
  }

  issue(): EntryCode {
    const code = Buffer.from(this.random.bytes(CODE_BYTES)).toString('base64url');
    const now = this.clock.now();
    const valid = this.codes.filter((one) => !one.isUsed && one.expiresAt > now);
    const [oldest] = valid;
    if (oldest !== undefined && valid.length >= VALID_CODES_MAX) oldest.expiresAt = now;
    const expiresAt = now + CODE_MS;
    this.codes.push({ hash: hashOf(code), expiresAt, isUsed: false });
    if (this.codes.length > CODES_KEPT_MAX) this.codes.shift();
    return { code, expiresAt };
  }

  /**
   * Redeems a code.
   *
   * @throws {AppError} `ENTRY_UNKNOWN`, `ENTRY_USED`, `ENTRY_EXPIRED`
   */
  redeem(code: string): void {
    const hash = hashOf(code);
    // Compares with every code, each in constant time.
    const [found] = this.codes.filter((one) => timingSafeEqual(one.hash, hash));
    if (found === undefined) throw new AppError('ENTRY_UNKNOWN');
    if (found.isUsed) throw new AppError('ENTRY_USED');
    if (found.expiresAt <= this.clock.now()) throw new AppError('ENTRY_EXPIRED');
    found.isUsed = true;
  }
}

interface StoredCode {
  readonly hash: Buffer;
  expiresAt: number;
  isUsed: boolean;
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
