import type { EscrowLog, TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import type { EscrowFollowStore } from '../../domain/escrow/escrow-follow.ts';
import { jobIdOfKey } from '../../domain/escrow/names.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import type { BoardIndex, JobRow } from './board-index.ts';
import { nowMs, type OwedEnd, owedBy, type Unclaimed } from './escrow-effects.ts';
import { factOfLog } from './escrow-facts.ts';
import { findJob } from './read.ts';

/** Dependencies of the escrow follower. */
export interface FollowParts {
  readonly trust: TrustChain;
  readonly kept: EscrowFollowStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly engine: () => Promise<ActorEngine>;
  /** Receives log lines for the operator. */
  readonly notice: (line: string) => void;
}

/**
 * Delivers confirmed chain facts to each job. The cursor advances only past facts that the engine
 * has on disk; delivering a fact twice changes nothing.
 */
export class EscrowFollower implements Unclaimed {
  readonly #parts: FollowParts;
  #end: () => void = () => undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  /** Reconciles stored jobs with the chain, then follows the chain from the stored cursor. */
  async start(index: BoardIndex): Promise<void> {
    const { trust, kept, notice } = this.#parts;
    if (trust.contracts.escrow === null) return;
    try {
      await this.#reconcile(index);
    } catch (thrown) {
      // The chain is down. The follower starts at the same cursor and delivers what is missing.
      notice(`escrow: ${toAppError(thrown).message}`);
    }
    this.#end = trust.escrow.follow(kept.next, (logs, upTo) => {
      this.#telling = this.#told(logs, upTo);
      return this.#telling;
    });
  }

  /** Stops following and finishes the current batch. */
  async stop(): Promise<void> {
    this.#end();
    await this.#telling.catch(() => undefined);
  }

  async claim(escrowKey: string, jobId: string): Promise<void> {
    const { kept } = this.#parts;
    const logs = kept.unclaimed(escrowKey);
    if (logs.length === 0) return;
    for (const log of logs) {
      if (await this.#isStillOwed(log)) return;
      await this.#tell(log, jobId);
    }
    await kept.claimed(escrowKey);
  }

  owedEnd(escrowKey: string): OwedEnd | undefined {
    const ends = this.#parts.kept.unclaimed(escrowKey).map(owedBy);
    return ends.find((end) => end !== undefined);
  }

  /** A job is released or refunded when the party has the money, not while the escrow owes it. */
  async #isStillOwed(log: EscrowLog): Promise<boolean> {
    const end = owedBy(log);
    return end !== undefined && BigInt(await this.#parts.trust.escrow.owed(end.to)) > 0n;
  }

  async #told(logs: readonly EscrowLog[], upTo: number): Promise<void> {
    const { kept, notice } = this.#parts;
    const unclaimed: EscrowLog[] = [];
    for (const log of logs) {
      if (await this.#isStillOwed(log)) {
        unclaimed.push(log);
        notice(`escrow: ${jobIdOfKey(log.key)} has ended, but its party cannot receive the money`);
        continue;
      }
      if (await this.#tell(log, jobIdOfKey(log.key))) continue;
      unclaimed.push(log);
      notice(`escrow: ${log.event.name} for unknown job key ${log.key}`);
    }
    if (upTo >= kept.next) await kept.keep(upTo + 1, unclaimed);
  }

  /** @returns False if no job has this id. */
  async #tell(log: EscrowLog, jobId: string): Promise<boolean> {
    const { trust, clock, engine, notice } = this.#parts;
    const fact = factOfLog(log, await nowMs(trust, clock.now()));
    const idempotencyKey = `${log.transaction}:${log.logIndex}:${log.block}`;
    try {
      await (await engine()).tell(jobId, fact, { idempotencyKey });
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
    const { trust, kept, notice } = this.#parts;
    const behind: Behind[] = [];
    const open = index.escrowed();
    for (let at = 0; at < open.length; at += COMPARED_AT_ONCE) {
      const rows = open.slice(at, at + COMPARED_AT_ONCE);
      const found = await Promise.all(rows.map((row) => this.#compare(row)));
      behind.push(...found.flatMap((each) => each ?? []));
    }
    const keys = new Set(behind.map(({ key }) => key));
    let from = Math.min(kept.next, ...behind.map(({ block }) => block));
    if (from >= kept.next) return;
    notice(`escrow: ${keys.size} jobs are behind the chain; rereading from block ${from}`);
    while (from < kept.next) {
      const { logs, upTo } = await trust.escrow.logs(from);
      for (const log of logs.filter(({ key }) => keys.has(key))) {
        if (!(await this.#isStillOwed(log))) await this.#tell(log, jobIdOfKey(log.key));
      }
      if (upTo < from) return;
      from = upTo + 1;
    }
  }

  /** @returns The last known block of a job that is behind the chain. */
  async #compare({ escrowKey: key, jobId }: JobRow): Promise<Behind | undefined> {
    const { trust, engine, notice } = this.#parts;
    if (key === null) return undefined;
    const [job, known] = await Promise.all([
      trust.escrow.job(key),
      engine().then((actors) => findJob(actors, jobId)),
    ]);
    const last = known?.context.facts.at(-1);
    if (job.state === 'none') {
      if (last !== undefined) notice(`escrow: the chain no longer has ${jobId}`);
      return undefined;
    }
    return STATES[last?.fact ?? ''] === job.state ? undefined : { key, block: last?.block ?? 0 };
  }
}

/** A job that is behind the chain, and the block of its last known fact. */
interface Behind {
  readonly key: string;
  readonly block: number;
}

/** Number of jobs compared with the chain concurrently. */
const COMPARED_AT_ONCE = 16;

/** State of a job on the chain after each fact. */
const STATES: Readonly<Record<string, string>> = {
  'CHAIN.ESCROWED': 'escrowed',
  'CHAIN.FULFILLED': 'fulfilled',
  'CHAIN.DISPUTED': 'disputed',
  'CHAIN.DISPUTE_WITHDRAWN': 'fulfilled',
  'CHAIN.RELEASED': 'released',
  'CHAIN.REFUNDED': 'refunded',
};
