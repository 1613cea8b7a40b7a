import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import type { EscrowContract, EscrowLog } from '../../../domain/chain/trust-chain.ts';
import {
  LOG_RANGE_BLOCKS,
  type LogRange,
  type LogReaderDeps,
  readBlock,
  readLogs,
} from './log-reader.ts';

/** The dependencies of a log feed. */
export interface LogFeedDeps {
  /** @throws {AppError} `NOT_CONFIGURED` where there is no escrow */
  readonly reader: () => LogReaderDeps;
  /** Receives the logs that the followers received. */
  readonly told: (logs: readonly EscrowLog[]) => void;
  /** Longest pause between two reads, in milliseconds. */
  readonly everyMs: number;
  /** Sets the first block whose logs are still needed. */
  readonly keepFrom: (block: number | undefined) => void;
}

/** A feed of escrow logs for followers. */
export interface LogFeed {
  readonly follow: EscrowContract['subscribe'];
  /** Reads at once because something has just happened. */
  readonly readNow: () => void;
  readonly close: () => void;
}

/**
 * Blocks behind the last delivered one that are read again. This happens when following starts,
 * since a chain that lost its last second has renumbered blocks, and after a reorganisation.
 */
const REWIND_BLOCKS = 1_000;
/** Blocks that every read repeats, in case a node returned an incomplete answer. */
const OVERLAP_BLOCKS = 16;
const RETRY_MS = 250;

/** Creates the log feed of a chain. It reads only while it has followers. */
export function createLogFeed(parts: LogFeedDeps): LogFeed {
  const followers = new Set<Follower>();
  return {
    readNow: () => {
      for (const each of followers) each.readNow();
    },
    close: () => {
      for (const each of followers) each.stop();
      followers.clear();
    },
    follow: (fromBlock, listener) => {
      const follower = new Follower(parts, fromBlock, listener);
      followers.add(follower);
      void follower.run();
      return () => {
        follower.stop();
        followers.delete(follower);
        if (followers.size === 0) parts.keepFrom(undefined);
      };
    },
  };
}

type Listener = Parameters<EscrowContract['subscribe']>[1];

class Follower {
  readonly #parts: LogFeedDeps;
  readonly #listener: Listener;
  /** The first block that is not delivered yet, and the hash of the one before it. */
  #next: number;
  #lastHash: Hex | undefined;
  /** Hash of the newest block at the last complete read. */
  #headHash: Hex | undefined;
  /** Recently delivered logs by their id, which contains the block hash, with their block. */
  #delivered = new Map<string, number>();
  #pause = new AbortController();
  #isReadRequested = false;
  #isStopped = false;

  constructor(parts: LogFeedDeps, fromBlock: number, listener: Listener) {
    this.#parts = parts;
    this.#listener = listener;
    this.#next = Math.max(0, fromBlock - REWIND_BLOCKS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#pause.abort();
  }

  readNow(): void {
    this.#isReadRequested = true;
    this.#pause.abort();
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isReadRequested = false;
      const waitMs = await this.#look().catch(() => RETRY_MS);
      if (!this.#isReadRequested && waitMs > 0) await this.#waitFor(waitMs);
    }
  }

  /** @returns Milliseconds until the next read. */
  async #look(): Promise<number> {
    const reader = this.#parts.reader();
    const { rpc } = reader;
    const head = await rpc.call<{ readonly hash: Hex }>('eth_getBlockByNumber', ['latest', false]);
    if (head.hash === this.#headHash) return this.#parts.everyMs;
    if (this.#lastHash !== undefined) {
      const last = await readBlock(rpc, this.#next - 1);
      if (last?.hash !== this.#lastHash) this.#rewind();
    }
    this.#parts.keepFrom(this.#next);
    const from = Math.max(0, this.#next - OVERLAP_BLOCKS);
    const read = await readLogs(reader, from);
    if (this.#isStopped || read.upToHash === undefined) {
      return Math.min(RETRY_MS, this.#parts.everyMs);
    }
    const fresh = read.logs.filter((log) => !this.#delivered.has(logId(log)));
    if (fresh.length > 0) await this.#listener(fresh, read.upTo);
    this.#parts.told(fresh);
    this.#advance(read, fresh);
    const isBehind = read.upTo - from + 1 >= LOG_RANGE_BLOCKS;
    this.#headHash = isBehind ? undefined : head.hash;
    return isBehind ? 0 : this.#parts.everyMs;
  }

  #advance({ upTo, upToHash }: LogRange, fresh: readonly EscrowLog[]): void {
    for (const log of fresh) this.#delivered.set(logId(log), log.block);
    for (const [name, block] of this.#delivered) {
      if (block < upTo - REWIND_BLOCKS) this.#delivered.delete(name);
    }
    this.#next = Math.max(this.#next, upTo + 1);
    this.#lastHash = upToHash;
  }

  #rewind(): void {
    this.#next = Math.max(0, this.#next - REWIND_BLOCKS);
    this.#lastHash = undefined;
    this.#headHash = undefined;
  }

  async #waitFor(waitMs: number): Promise<void> {
    this.#pause = new AbortController();
    await sleep(waitMs, undefined, { ref: false, signal: this.#pause.signal }).catch(
      () => undefined,
    );
  }
}

/** Returns the id of a log in a block. The same log in another block is delivered again. */
function logId({ blockHash, transaction, logIndex }: EscrowLog): string {
  return `${blockHash}:${transaction}:${logIndex}`;
}
