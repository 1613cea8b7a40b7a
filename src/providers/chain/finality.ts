import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Hex } from 'viem';
import { z } from 'zod';
import { SECOND_MS } from '../../domain/common/time.ts';
import { hasSucceeded, type Receipt } from '../payment/receipts.ts';
import { broadcast } from './broadcast.ts';
import type { ChainRpc } from './chain-rpc.ts';
import { readJsonLines } from './local/json-file.ts';
import type { RawJournal } from './local/raw-journal.ts';
import { blockAt } from './trust/log-reader.ts';

/** A transaction of a block, as a receipt or a log names it. */
export interface Final {
  readonly hash: string;
  readonly block: number;
  readonly blockHash: string;
  /** What it is the newest word on, such as the end of a job: a later one takes its place. */
  readonly subject?: string | undefined;
}

/** Looks again at what was told as final. */
export interface Finality {
  /** Remembers a transaction that something was told of for good. */
  tell(final: Final): void;
  /**
   * Transactions that were told and are not on the chain, which was reorganised deeper than anybody
   * waits: those that have a subject.
   */
  undone(): ReadonlySet<string>;
  /** Compares with the chain now. It never throws: what cannot be told now is looked at again. */
  look(): Promise<void>;
  close(): void;
}

/** What the comparison stands on. */
export interface FinalityParts {
  readonly rpc: ChainRpc;
  readonly journal: Pick<RawJournal, 'rows'>;
  readonly file: string;
  /** Reads nonces anew: after a reorganisation the counted ones are others. */
  readonly forgetNonce: () => void;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/** Blocks for which a transaction is looked at again: two epochs, after which a chain is final. */
export const FINAL_DEPTH = 64;
/** Most transactions that are kept; the oldest go first. */
const ROWS_MAX = 10_000;
/** Lines of the file beyond the needed ones, after which it is written anew. */
const SLACK_ROWS = 1_000;
/** Looks in a row that have to miss a transaction: a node may be behind another one. */
const MISSES = 2;
const LOOK_EVERY_MS = SECOND_MS;
/** Transactions that one request asks about. */
const AT_ONCE = 50;

const Row = z.object({
  hash: z.string(),
  block: z.number().int(),
  blockHash: z.string(),
  subject: z.string().optional(),
  isUndone: z.boolean().optional(),
});

interface Watched {
  final: Final;
  isChecked: boolean;
  misses: number;
  isUndone: boolean;
}

/** A chain of our own, where nothing is undone that does not come back by itself. */
export const nothingUndone: Finality = {
  tell: () => undefined,
  undone: () => new Set(),
  look: async () => undefined,
  close: () => undefined,
};

/**
 * Opens the comparison of a chain of others. What is gone is sent again as it was signed, where the
 * journal has it: a chain carries the same bytes out once. The file keeps what is looked at, so
 * that a reorganisation between two lives is seen as well.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function openFinality(parts: FinalityParts): Finality {
  const watch = new FinalityWatch(parts);
  const timer = setInterval(() => void watch.look(), LOOK_EVERY_MS);
  timer.unref();
  return {
    tell: (final) => watch.tell(final),
    undone: () => watch.undone(),
    look: () => watch.look(),
    close: () => clearInterval(timer),
  };
}

class FinalityWatch {
  readonly #parts: FinalityParts;
  readonly #rows = new Map<string, Watched>();
  /** Newest block at the last look, by which the next one sees whether the chain is the same. */
  #head: { readonly height: number; readonly hash: Hex } | undefined;
  #lines = 0;
  #looking: Promise<void> | undefined;

  constructor(parts: FinalityParts) {
    this.#parts = parts;
    for (const { isUndone = false, ...final } of readJsonLines(parts.file, Row)) {
      this.#rows.set(idOf(final), { final, isUndone, isChecked: false, misses: 0 });
    }
    this.#rewrite();
  }

  tell(final: Final): void {
    const id = idOf(final);
    const known = this.#rows.get(id)?.final;
    if (known?.blockHash === final.blockHash && known.hash === final.hash) return;
    this.#rows.delete(id);
    this.#rows.set(id, { final, isUndone: false, isChecked: false, misses: 0 });
    if (this.#rows.size > ROWS_MAX) this.#rows.delete([...this.#rows.keys()][0] ?? '');
    this.#keep(final);
  }

  undone(): ReadonlySet<string> {
    const rows = [...this.#rows.values()].filter((row) => row.isUndone && row.final.subject);
    return new Set(rows.map(({ final }) => final.hash));
  }

  look(): Promise<void> {
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
    const isSame = last !== undefined && (await blockAt(rpc, last.height))?.hash === last.hash;
    if (!isSame) for (const row of this.#rows.values()) row.isChecked = false;
    const rows = [...this.#rows.values()];
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = rows.slice(at, at + AT_ONCE);
      await Promise.all(some.map((row) => this.#check(row, head.height)));
    }
    await this.#sendAgain();
    this.#head = head;
    if (this.#lines > this.#rows.size + SLACK_ROWS) this.#rewrite();
  }

  async #check(row: Watched, height: number): Promise<void> {
    const { final, isUndone, isChecked } = row;
    if (!isUndone && height - final.block > FINAL_DEPTH) {
      this.#rows.delete(idOf(final));
      return;
    }
    if (isChecked) return;
    const { rpc } = this.#parts;
    // In one request, so that one node answers both.
    const [block, receipt] = await Promise.all([
      blockAt(rpc, final.block),
      rpc.call<Receipt | null>('eth_getTransactionReceipt', [final.hash]),
    ]);
    if (receipt !== null && hasSucceeded(receipt)) return this.#found(row, receipt);
    // A node that does not have the height yet says nothing about what was in it.
    if (isUndone || block === null || block.hash === final.blockHash) return;
    row.misses += 1;
    if (row.misses < MISSES) return;
    const isNew = !this.#isUndone(final.hash);
    row.isUndone = true;
    this.#keep(final, true);
    this.#parts.forgetNonce();
    if (!isNew) return;
    this.#parts.notice(
      `chain: transaction ${final.hash}, told as done in block ${final.block}, is gone: the ` +
        'chain was reorganised. It is sent again where it can be; until then no money has moved',
    );
  }

  #found(row: Watched, receipt: Receipt): void {
    const { final, isUndone } = row;
    const [block, { blockHash }] = [Number(receipt.blockNumber), receipt];
    const moved = { ...final, block, blockHash };
    this.#rows.set(idOf(final), { final: moved, isUndone: false, isChecked: true, misses: 0 });
    if (blockHash !== final.blockHash) this.#keep(moved);
    if (!isUndone || this.#isUndone(final.hash)) return;
    this.#parts.notice(`chain: transaction ${final.hash} is on the chain again, in block ${block}`);
  }

  /** In the order of their nonces, since none is taken behind a gap. */
  async #sendAgain(): Promise<void> {
    const { rpc, journal } = this.#parts;
    const rows = [...this.#rows.values()].filter((row) => row.isUndone);
    const undone = new Set(rows.map(({ final }) => final.hash));
    if (undone.size === 0) return;
    const own = journal.rows().filter(({ hash, from }) => from === undefined && undone.has(hash));
    for (const row of own.toSorted((a, b) => a.nonce - b.nonce)) {
      await broadcast(rpc, row, journal);
    }
  }

  #isUndone(hash: string): boolean {
    return [...this.#rows.values()].some((row) => row.isUndone && row.final.hash === hash);
  }

  #keep(final: Final, isUndone = false): void {
    appendFileSync(this.#parts.file, lineOf(final, isUndone), { mode: 0o600 });
    this.#lines += 1;
  }

  #rewrite(): void {
    const { file } = this.#parts;
    const lines = [...this.#rows.values()].map(({ final, isUndone }) => lineOf(final, isUndone));
    writeFileSync(`${file}.new`, lines.join(''), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    this.#lines = lines.length;
  }
}

function idOf({ hash, subject }: Final): string {
  return subject ?? hash;
}

function lineOf(final: Final, isUndone: boolean): string {
  return `${JSON.stringify(isUndone ? { ...final, isUndone } : final)}\n`;
}

/** What a receipt tells as final. */
export function finalOf({ transactionHash, blockNumber, blockHash }: Receipt): Final {
  return { hash: transactionHash, block: Number(blockNumber), blockHash };
}
