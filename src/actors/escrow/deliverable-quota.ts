import { AppError } from '../../domain/common/error.ts';
import { DAY_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { JobContext } from '../../machines/escrow/job-context.ts';

/** Disk quota for deliverables that nobody has paid for, in bytes. */
export const DELIVERABLE_QUOTA = {
  perWallet: 32 * 1_024 * 1_024,
  inAll: 1_024 * 1_024 * 1_024,
  /** Minimum counted size, so that the number of small deliverables is limited too. */
  least: 4_096,
} as const;

/** How long the blob store keeps a deliverable, in milliseconds. */
const RETENTION_MS = 500 * DAY_MS;

/** A deliverable to be submitted. */
export interface DeliverableSize {
  readonly jobId: string;
  readonly provider: string;
  readonly bytes: number;
  /** Time of submission, in Unix milliseconds. */
  readonly at: number;
}

interface QuotaEntry {
  readonly provider: string;
  readonly bytes: number;
  readonly until: number;
}

/**
 * Counts the bytes of deliverables for unreleased jobs that are paid on release, because nobody has
 * paid for them yet. Escrowed jobs are not counted: their buyers have paid.
 */
export class DeliverableQuota {
  readonly #held = new Map<string, QuotaEntry>();
  readonly #byWallet = new Map<string, number>();
  #inAll = 0;

  /**
   * Reserves quota for a deliverable. Each job holds the size of its largest one.
   *
   * @throws {AppError} `DELIVERABLES_FULL` with quota and use. Nothing is reserved then.
   */
  reserve({ jobId, provider, bytes, at }: DeliverableSize): void {
    const counted = Math.max(countedBytes(bytes), this.#held.get(jobId)?.bytes ?? 0);
    if (this.#limitError(jobId, provider, counted) !== undefined) this.#releaseExpired(at);
    const fault = this.#limitError(jobId, provider, counted);
    if (fault !== undefined) throw fault;
    this.#set(jobId, { provider, bytes: counted, until: at + RETENTION_MS });
  }

  /** Counts a job by its current state. */
  update(context: JobContext, isReleased: boolean): void {
    const { jobId, provider, funding, deliverable, deliveredAtS } = context;
    if (deliverable === null || funding !== 'on_release') return;
    if (isReleased) {
      this.release(jobId);
      return;
    }
    const until = (deliveredAtS ?? 0) * SECOND_MS + RETENTION_MS;
    this.#set(jobId, { provider, bytes: countedBytes(deliverable.bytes), until });
  }

  release(jobId: string): void {
    const held = this.#held.get(jobId);
    if (held === undefined) return;
    this.#held.delete(jobId);
    this.#add(held.provider, -held.bytes);
  }

  #limitError(jobId: string, provider: string, bytes: number): AppError | undefined {
    const own = this.#held.get(jobId)?.bytes ?? 0;
    const { perWallet, inAll } = DELIVERABLE_QUOTA;
    for (const [whose, used, quota] of [
      ['wallet', (this.#byWallet.get(provider) ?? 0) - own, perWallet],
      ['all', this.#inAll - own, inAll],
    ] as const) {
      if (used + bytes > quota) return quotaError({ whose, received: bytes, used, quota });
    }
    return undefined;
  }

  #set(jobId: string, held: QuotaEntry): void {
    this.release(jobId);
    this.#held.set(jobId, held);
    this.#add(held.provider, held.bytes);
  }

  #add(provider: string, bytes: number): void {
    this.#inAll += bytes;
    const own = (this.#byWallet.get(provider) ?? 0) + bytes;
    if (own === 0) this.#byWallet.delete(provider);
    else this.#byWallet.set(provider, own);
  }

  /** The blob store has already dropped deliverables older than its retention time. */
  #releaseExpired(now: number): void {
    for (const [jobId, { until }] of this.#held) if (until <= now) this.release(jobId);
  }
}

function countedBytes(bytes: number): number {
  return Math.max(DELIVERABLE_QUOTA.least, bytes);
}

function quotaError(data: {
  readonly whose: 'wallet' | 'all';
  readonly received: number;
  readonly used: number;
  readonly quota: number;
}): AppError {
  const { whose, received, used, quota } = data;
  const holder = whose === 'wallet' ? 'This wallet' : 'The board';
  return new AppError('DELIVERABLES_FULL', {
    message:
      `${holder} holds ${used} of ${quota} bytes for unpaid jobs; ` +
      `${received} more do not fit. Released and escrowed jobs are not counted.`,
    data: { whose, received_bytes: received, used_bytes: used, quota_bytes: quota },
  });
}
