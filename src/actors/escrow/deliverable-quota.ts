import { AppError } from '../../domain/common/error.ts';
import { DAY_MS, SECOND_MS } from '../../domain/common/time.ts';
import type { JobContext } from '../../machines/escrow/job-facts.ts';

/** What deliverables may take on the disk while nobody has paid for them, in bytes. */
export const DELIVERABLE_QUOTA = {
  perWallet: 32 * 1_024 * 1_024,
  inAll: 1_024 * 1_024 * 1_024,
  /** What the smallest one counts: so that many small ones are bounded too. */
  least: 4_096,
} as const;

/** How long the store of texts keeps a deliverable, in milliseconds. */
const KEPT_MS = 500 * DAY_MS;

/** A deliverable to be handed in. */
export interface HandedBytes {
  readonly jobId: string;
  readonly provider: string;
  readonly bytes: number;
  /** Milliseconds. */
  readonly at: number;
}

interface HeldBytes {
  readonly provider: string;
  readonly bytes: number;
  readonly until: number;
}

/**
 * Counts the bytes that were handed in for jobs that are paid on release and were not released:
 * they have cost nobody anything. Escrowed jobs are not counted: their buyers have paid.
 */
export class DeliverableQuota {
  readonly #held = new Map<string, HeldBytes>();
  readonly #byWallet = new Map<string, number>();
  #inAll = 0;

  /**
   * Takes room for a deliverable. A job holds what its largest one needs.
   *
   * @throws {AppError} `DELIVERABLES_FULL` with quota and use; nothing was taken then.
   */
  take({ jobId, provider, bytes, at }: HandedBytes): void {
    const counted = Math.max(counts(bytes), this.#held.get(jobId)?.bytes ?? 0);
    if (this.#fault(jobId, provider, counted) !== undefined) this.#forgetOld(at);
    const fault = this.#fault(jobId, provider, counted);
    if (fault !== undefined) throw fault;
    this.#keep(jobId, { provider, bytes: counted, until: at + KEPT_MS });
  }

  /** Counts a job as it stands. */
  note(context: JobContext, isReleased: boolean): void {
    const { jobId, provider, funding, deliverable, deliveredAtS } = context;
    if (deliverable === null || funding !== 'on_release') return;
    if (isReleased) {
      this.drop(jobId);
      return;
    }
    const until = (deliveredAtS ?? 0) * SECOND_MS + KEPT_MS;
    this.#keep(jobId, { provider, bytes: counts(deliverable.bytes), until });
  }

  /** Gives the room of a job back. */
  drop(jobId: string): void {
    const held = this.#held.get(jobId);
    if (held === undefined) return;
    this.#held.delete(jobId);
    this.#add(held.provider, -held.bytes);
  }

  #fault(jobId: string, provider: string, bytes: number): AppError | undefined {
    const own = this.#held.get(jobId)?.bytes ?? 0;
    const { perWallet, inAll } = DELIVERABLE_QUOTA;
    for (const [whose, used, quota] of [
      ['wallet', (this.#byWallet.get(provider) ?? 0) - own, perWallet],
      ['all', this.#inAll - own, inAll],
    ] as const) {
      if (used + bytes > quota) return full({ whose, received: bytes, used, quota });
    }
    return undefined;
  }

  #keep(jobId: string, held: HeldBytes): void {
    this.drop(jobId);
    this.#held.set(jobId, held);
    this.#add(held.provider, held.bytes);
  }

  #add(provider: string, bytes: number): void {
    this.#inAll += bytes;
    const own = (this.#byWallet.get(provider) ?? 0) + bytes;
    if (own === 0) this.#byWallet.delete(provider);
    else this.#byWallet.set(provider, own);
  }

  /** The store has dropped what is older than it keeps. */
  #forgetOld(now: number): void {
    for (const [jobId, { until }] of this.#held) if (until <= now) this.drop(jobId);
  }
}

function counts(bytes: number): number {
  return Math.max(DELIVERABLE_QUOTA.least, bytes);
}

function full(data: {
  readonly whose: 'wallet' | 'all';
  readonly received: number;
  readonly used: number;
  readonly quota: number;
}): AppError {
  const { whose, received, used, quota } = data;
  const holder = whose === 'wallet' ? 'This wallet' : 'The board';
  return new AppError('DELIVERABLES_FULL', {
    message:
      `${holder} holds ${used} of ${quota} bytes for jobs that were not paid for; ` +
      `${received} more do not fit. Release makes room; escrowed jobs are not counted.`,
    data: { whose, received_bytes: received, used_bytes: used, quota_bytes: quota },
  });
}
