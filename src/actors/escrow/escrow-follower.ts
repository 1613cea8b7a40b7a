import type { EscrowLog } from '../../domain/chain/trust-chain.ts';
import { toAppError } from '../../domain/common/error.ts';
import type { EscrowCursorStore } from '../../domain/escrow/escrow-cursor-store.ts';
import { jobIdFromKey } from '../../domain/escrow/ids.ts';
import { isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { tellOnce } from '../common/tell-once.ts';
import type { BoardIndex, JobRow } from './board-index.ts';
import { chainNowMs, type OwedEnd, readOwedEnd, type UnclaimedFacts } from './escrow-effects.ts';
import { factFromLog } from './escrow-facts.ts';
import { findJob } from './read-actors.ts';

type Ports = Pick<Services, 'clock' | 'engine' | 'notice' | 'trust'> & {
  readonly store: EscrowCursorStore;
};

/**
 * Delivers confirmed chain facts to each job. The cursor advances only past facts that the engine
 * has on disk; delivering a fact twice changes nothing.
 */
export class EscrowFollower implements UnclaimedFacts {
  readonly #parts: Ports;
  #stopFollowing: () => void = () => undefined;
  #currentBatch: Promise<void> = Promise.resolve();

  constructor(parts: Ports) {
    this.#parts = parts;
  }

  /** Reconciles stored jobs with the chain, then follows the chain from the stored cursor. */
  async start(index: BoardIndex): Promise<void> {
    const { trust, store, notice } = this.#parts;
    if (trust.contracts.escrow === null) return;
    try {
      await this.#reconcile(index);
    } catch (thrown) {
      // The chain is down. The follower starts at the same cursor and delivers what is missing.
      notice(`escrow: ${toAppError(thrown).message}`);
    }
    this.#stopFollowing = trust.escrow.subscribe(store.next, (logs, upTo) => {
      this.#currentBatch = this.#deliverBatch(logs, upTo);
      return this.#currentBatch;
    });
  }

  /** Stops following and finishes the current batch. */
  async stop(): Promise<void> {
    this.#stopFollowing();
    await this.#currentBatch.catch(() => undefined);
  }

  async deliver(escrowKey: string, jobId: string): Promise<void> {
    const { store } = this.#parts;
    const logs = store.readUnclaimed(escrowKey);
    if (logs.length === 0) return;
    for (const log of logs) {
      if (await this.#isStillOwed(log)) return;
      await this.#deliver(log, jobId);
    }
    await store.deleteUnclaimed(escrowKey);
  }

  owedEnd(escrowKey: string): OwedEnd | undefined {
    const ends = this.#parts.store.readUnclaimed(escrowKey).map(readOwedEnd);
    return ends.find((end) => end !== undefined);
  }

  /** A job is released or refunded when the party has the money, not while the escrow owes it. */
  async #isStillOwed(log: EscrowLog): Promise<boolean> {
    const end = readOwedEnd(log);
    return end !== undefined && BigInt(await this.#parts.trust.escrow.readOwed(end.to)) > 0n;
  }

  async #deliverBatch(logs: readonly EscrowLog[], upTo: number): Promise<void> {
    const { store, notice } = this.#parts;
    const unclaimed: EscrowLog[] = [];
    for (const log of logs) {
      if (await this.#isStillOwed(log)) {
        unclaimed.push(log);
        notice(
          `escrow: ${jobIdFromKey(log.key)} has ended, but its party cannot receive the money`,
        );
        continue;
      }
      if (await this.#deliver(log, jobIdFromKey(log.key))) continue;
      unclaimed.push(log);
      notice(`escrow: ${log.event.name} for unknown job key ${log.key}`);
    }
    if (upTo >= store.next) await store.save(upTo + 1, unclaimed);
  }

  /** @returns False if no job has this id. */
  async #deliver(log: EscrowLog, jobId: string): Promise<boolean> {
    const { trust, clock, engine, notice } = this.#parts;
    const fact = factFromLog(log, await chainNowMs(trust, clock.now()));
    const key = `${log.transaction}:${log.logIndex}:${log.block}`;
    try {
      await tellOnce(engine, jobId, fact, key);
    } catch (thrown) {
      if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return false;
      // An ended job already has its last fact; repeating it changes nothing.
      if (isEngineCode(thrown, 'ACTOR_CLOSED')) return true;
      const isBroken = isEngineCode(thrown, 'ACTOR_STUCK') || isEngineCode(thrown, 'EVENT_POISON');
      if (!isBroken) throw thrown;
      // One broken job must not block the others. The next start reconciles it with the chain.
      notice(`escrow: ${jobId} does not accept ${fact.type}`);
    }
    return true;
  }

  /**
   * Compares every open job with the chain. A job that is behind gets its logs again, starting at
   * its last known fact.
   */
  async #reconcile(index: BoardIndex): Promise<void> {
    const { trust, store, notice } = this.#parts;
    const lagging: LaggingJob[] = [];
    const open = index.escrowedJobs();
    for (let at = 0; at < open.length; at += COMPARE_CONCURRENCY) {
      const rows = open.slice(at, at + COMPARE_CONCURRENCY);
      const found = await Promise.all(rows.map((row) => this.#compare(row)));
      lagging.push(...found.flatMap((each) => each ?? []));
    }
    const keys = new Set(lagging.map(({ key }) => key));
    let from = Math.min(store.next, ...lagging.map(({ block }) => block));
    if (from >= store.next) return;
    notice(`escrow: ${keys.size} jobs are behind the chain; rereading from block ${from}`);
    while (from < store.next) {
      const { logs, upTo } = await trust.escrow.readLogs(from);
      for (const log of logs.filter(({ key }) => keys.has(key))) {
        if (!(await this.#isStillOwed(log))) await this.#deliver(log, jobIdFromKey(log.key));
      }
      if (upTo < from) return;
      from = upTo + 1;
    }
  }

  /** @returns The last known block of a job that is behind the chain. */
  async #compare({ escrowKey: key, jobId }: JobRow): Promise<LaggingJob | undefined> {
    const { trust, engine, notice } = this.#parts;
    if (key === null) return undefined;
    const [job, known] = await Promise.all([trust.escrow.readJob(key), findJob(engine, jobId)]);
    const last = known?.context.facts.at(-1);
    if (job.state === 'none') {
      if (last !== undefined) notice(`escrow: the chain no longer has ${jobId}`);
      return undefined;
    }
    return CHAIN_STATES[last?.fact ?? ''] === job.state
      ? undefined
      : { key, block: last?.block ?? 0 };
  }
}

/** A job that is behind the chain, and the block of its last known fact. */
interface LaggingJob {
  readonly key: string;
  readonly block: number;
}

/** Number of jobs compared with the chain concurrently. */
const COMPARE_CONCURRENCY = 16;

/** State of a job on the chain after each fact. */
const CHAIN_STATES: Readonly<Record<string, string>> = {
  'CHAIN.ESCROWED': 'escrowed',
  'CHAIN.FULFILLED': 'fulfilled',
  'CHAIN.DISPUTED': 'disputed',
  'CHAIN.DISPUTE_WITHDRAWN': 'fulfilled',
  'CHAIN.RELEASED': 'released',
  'CHAIN.REFUNDED': 'refunded',
};
