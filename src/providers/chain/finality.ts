import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Hex } from 'viem';
import { z } from 'zod';
import { SECOND_MS } from '../../domain/common/time.ts';
import { hasSucceeded, type Receipt } from '../payment/receipts.ts';
import { broadcast } from './broadcast.ts';
import type { ChainRpc } from './chain-rpc.ts';
import { readJsonLines } from './local/json-file.ts';
import type { RawJournal } from './local/raw-journal.ts';
import { readBlock } from './trust/log-reader.ts';

/** A transaction in a block, as named by a receipt or a log. */
export interface FinalTransaction {
  readonly hash: string;
  readonly block: number;
  readonly blockHash: string;
  /**
   * What this transaction decides, such as the end of a job. A later one for it replaces this one.
   */
  readonly subject?: string | undefined;
}

/** Re-checks transactions that were reported as final. */
export interface FinalityMonitor {
  /** Remembers a transaction that was reported as final. */
  report(final: FinalTransaction): void;
  /**
   * Hashes of reported transactions with a subject that are no longer on the chain. This takes a
   * reorganisation deeper than the configured confirmations.
   */
  revertedHashes(): ReadonlySet<string>;
  /** Compares with the chain now. Never throws: what cannot be checked now is checked again. */
  recheck(): Promise<void>;
  close(): void;
}

/** The dependencies of the re-check. */
export interface FinalityDeps {
  readonly rpc: ChainRpc;
  readonly journal: Pick<RawJournal, 'rows'>;
  readonly file: string;
  /** Discards counted nonces: they are wrong after a reorganisation. */
  readonly forgetNonce: () => void;
  /** Receives messages for the operator. */
  readonly notice: (line: string) => void;
}

/** Blocks for which a transaction is re-checked: two epochs, after which a chain is final. */
export const FINAL_DEPTH = 64;
/** Most transactions that are kept. The oldest are dropped first. */
const ROWS_MAX = 10_000;
/** Superfluous lines in the file after which it is rewritten. */
const SLACK_ROWS = 1_000;
/** Consecutive checks that must miss a transaction: one node may lag behind another. */
const MISSES_BEFORE_REVERTED = 2;
const RECHECK_EVERY_MS = SECOND_MS;
/** Transactions checked in one batch. */
const BATCH_SIZE = 50;

const Row = z.object({
  hash: z.string(),
  block: z.number().int(),
  blockHash: z.string(),
  subject: z.string().optional(),
  isUndone: z.boolean().optional(),
});

interface WatchedTransaction {
  final: FinalTransaction;
  isChecked: boolean;
  misses: number;
  isUndone: boolean;
}

/** A re-check that does nothing, for an embedded chain that restores its own transactions. */
export const noFinalityMonitor: FinalityMonitor = {
  report: () => undefined,
  revertedHashes: () => new Set(),
  recheck: async () => undefined,
  close: () => undefined,
};

/**
 * Starts the re-check of a remote chain. Transactions that are gone and in the journal are sent
 * again with the same bytes, since a chain executes them once. The file keeps the list, so a
 * reorganisation between two runs is found as well.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function startFinalityMonitor(parts: FinalityDeps): FinalityMonitor {
  const watch = new FinalityMonitorState(parts);
  const timer = setInterval(() => void watch.recheck(), RECHECK_EVERY_MS);
  timer.unref();
  return {
    report: (final) => watch.report(final),
    revertedHashes: () => watch.revertedHashes(),
    recheck: () => watch.recheck(),
    close: () => clearInterval(timer),
  };
}

class FinalityMonitorState {
  readonly #parts: FinalityDeps;
  readonly #rows = new Map<string, WatchedTransaction>();
  /** Newest block at the last check. It shows the next check whether the chain is the same. */
  #head: { readonly height: number; readonly hash: Hex } | undefined;
  #lines = 0;
  #looking: Promise<void> | undefined;

  constructor(parts: FinalityDeps) {
    this.#parts = parts;
    for (const { isUndone = false, ...final } of readJsonLines(parts.file, Row)) {
      this.#rows.set(subjectKey(final), { final, isUndone, isChecked: false, misses: 0 });
    }
    this.#rewrite();
  }

  report(final: FinalTransaction): void {
    const id = subjectKey(final);
    const known = this.#rows.get(id)?.final;
    if (known?.blockHash === final.blockHash && known.hash === final.hash) return;
    this.#rows.delete(id);
    this.#rows.set(id, { final, isUndone: false, isChecked: false, misses: 0 });
    if (this.#rows.size > ROWS_MAX) this.#rows.delete([...this.#rows.keys()][0] ?? '');
    this.#keep(final);
  }

  revertedHashes(): ReadonlySet<string> {
    const rows = [...this.#rows.values()].filter((row) => row.isUndone && row.final.subject);
    return new Set(rows.map(({ final }) => final.hash));
  }

  recheck(): Promise<void> {
    this.#looking ??= this.#compare()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #compare(): Promise<void> {
    if (this.#rows.size === 0) return;
    const { rpc } = this.#parts;
    const newest = await rpc.call<{ readonly number: Hex; readonly hash: Hex }>(
      'eth_getBlockByNumber',
      ['latest', false],
    );
    const head = { height: Number(newest.number), hash: newest.hash };
    const last = this.#head;
    const isSame = last !== undefined && (await readBlock(rpc, last.height))?.hash === last.hash;
    if (!isSame) for (const row of this.#rows.values()) row.isChecked = false;
    const rows = [...this.#rows.values()];
    for (let at = 0; at < rows.length; at += BATCH_SIZE) {
      const batch = rows.slice(at, at + BATCH_SIZE);
      await Promise.all(batch.map((row) => this.#check(row, head.height)));
    }
    await this.#sendAgain();
    this.#head = head;
    if (this.#lines > this.#rows.size + SLACK_ROWS) this.#rewrite();
  }

  async #check(row: WatchedTransaction, height: number): Promise<void> {
    const { final, isUndone, isChecked } = row;
    if (!isUndone && height - final.block > FINAL_DEPTH) {
      this.#rows.delete(subjectKey(final));
      return;
    }
    if (isChecked) return;
    const { rpc } = this.#parts;
    // In one request, so that one node answers both.
    const [block, receipt] = await Promise.all([
      readBlock(rpc, final.block),
      rpc.call<Receipt | null>('eth_getTransactionReceipt', [final.hash]),
    ]);
    if (receipt !== null && hasSucceeded(receipt)) return this.#found(row, receipt);
    // A node that does not have this height yet proves nothing about its block.
    if (isUndone || block === null || block.hash === final.blockHash) return;
    row.misses += 1;
    if (row.misses < MISSES_BEFORE_REVERTED) return;
    const isNew = !this.#isUndone(final.hash);
    row.isUndone = true;
    this.#keep(final, true);
    this.#parts.forgetNonce();
    if (!isNew) return;
    this.#parts.notice(
      `chain: transaction ${final.hash}, reported in block ${final.block}, is gone because the ` +
        'chain was reorganised. It is sent again if possible; until then no money has moved',
    );
  }

  #found(row: WatchedTransaction, receipt: Receipt): void {
    const { final, isUndone } = row;
    const [block, { blockHash }] = [Number(receipt.blockNumber), receipt];
    const moved = { ...final, block, blockHash };
    this.#rows.set(subjectKey(final), {
      final: moved,
      isUndone: false,
      isChecked: true,
      misses: 0,
    });
    if (blockHash !== final.blockHash) this.#keep(moved);
    if (!isUndone || this.#isUndone(final.hash)) return;
    this.#parts.notice(`chain: transaction ${final.hash} is on the chain again, in block ${block}`);
  }

  /** In nonce order, since nodes accept none behind a gap. */
  async #sendAgain(): Promise<void> {
    const { rpc, journal } = this.#parts;
    const rows = [...this.#rows.values()].filter((row) => row.isUndone);
    const undone = new Set(rows.map(({ final }) => final.hash));
    if (undone.size === 0) return;
    const ownRows = journal
      .rows()
      .filter(({ hash, from }) => from === undefined && undone.has(hash));
    for (const row of ownRows.toSorted((a, b) => a.nonce - b.nonce)) {
      await broadcast(rpc, row, journal);
    }
  }

  #isUndone(hash: string): boolean {
    return [...this.#rows.values()].some((row) => row.isUndone && row.final.hash === hash);
  }

  #keep(final: FinalTransaction, isUndone = false): void {
    appendFileSync(this.#parts.file, formatRow(final, isUndone), { mode: 0o600 });
    this.#lines += 1;
  }

  #rewrite(): void {
    const { file } = this.#parts;
    const lines = [...this.#rows.values()].map(({ final, isUndone }) => formatRow(final, isUndone));
    writeFileSync(`${file}.new`, lines.join(''), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    this.#lines = lines.length;
  }
}

function subjectKey({ hash, subject }: FinalTransaction): string {
  return subject ?? hash;
}

function formatRow(final: FinalTransaction, isUndone: boolean): string {
  return `${JSON.stringify(isUndone ? { ...final, isUndone } : final)}\n`;
}

/** Returns the final transaction of a receipt. */
export function toFinalTransaction({
  transactionHash,
  blockNumber,
  blockHash,
}: Receipt): FinalTransaction {
  return { hash: transactionHash, block: Number(blockNumber), blockHash };
}
