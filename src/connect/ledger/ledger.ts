import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Totals } from './caps.ts';
import { dayOf, type LedgerEntry } from './fold.ts';
import { LedgerFile } from './ledger-file.ts';
import type { OutcomeRow, ReservedRow } from './rows.ts';

/** Months of ledger files that are kept, the current one included. */
export const LEDGER_MONTHS_MAX = 13;
/** How long after its end an authorization is given up, for clocks that differ: milliseconds. */
export const LAPSE_MARGIN_MS = 60 * SECOND_MS;

/** What became of a payment. */
export type Ending = Pick<OutcomeRow, 'outcome' | 'code' | 'refund' | 'tx'>;

/** What a wallet has signed, shared by all processes that use the wallet. */
export interface Ledger {
  /**
   * Reserves a payment; on disk when this returns. Only an admitted one may be signed.
   *
   * @returns Whether it fits its caps, or was approved.
   * @throws {AppError} `STORE_FULL`
   */
  reserve(row: ReservedRow): boolean;
  /** Notes what became of a payment. */
  end(nonce: string, ending: Ending): void;
  /** The first payment for this call whose outcome is not known: it is presented again. */
  pending(call: string): LedgerEntry | undefined;
  /** Payments that ran out by the clock, and that the chain has not been asked about. */
  lapsed(): readonly LedgerEntry[];
  /** Spent and held today, in micro-dollars. */
  today(tool: string): Totals;
  /** Everything that is kept, oldest first. */
  entries(): readonly LedgerEntry[];
  /** Lines of the kept files that are no rows. */
  unreadable(): number;
  close(): void;
}

/** Opens the ledger of a wallet: one file for each month, in a folder that others may share. */
export function openLedger(options: {
  readonly folder: string;
  readonly address: string;
  readonly now: () => number;
}): Ledger {
  const months = new Months(options.folder, options.address);
  const time = (): string => new Date(options.now()).toISOString();
  months.trim(time());

  /** Rows of a payment stand in the file of the month in which it was reserved. */
  const recent = (): readonly LedgerEntry[] =>
    [monthBefore(time()), monthOf(time())].flatMap(
      (month) => months.existing(month)?.read().entries() ?? [],
    );
  const find = (nonce: string): LedgerEntry => {
    const entry = recent().find(({ reserved }) => reserved.nonce === nonce);
    if (entry === undefined) throw new AppError('INVARIANT', { message: 'it was reserved before' });
    return entry;
  };

  return {
    reserve: (row) => {
      const file = months.file(monthOf(row.time));
      file.append(row);
      return file.read().find(row.nonce)?.isAdmitted === true;
    },
    end: (nonce, ending) => {
      const { time: reservedAt, tool, amount, server, payTo } = find(nonce).reserved;
      const facts = { time: time(), tool, amount, server, payTo, nonce };
      months.file(monthOf(reservedAt)).append({ ...facts, ...ending });
    },
    pending: (call) =>
      recent().find((entry) => {
        const { call: name, asked } = entry.reserved;
        return (name === call || asked === call) && isPending(entry, options.now());
      }),
    lapsed: () => recent().filter((entry) => isLapsed(entry, options.now())),
    today: (tool) => months.file(monthOf(time())).read().totals(dayOf(time()), tool),
    entries: () => months.kept().flatMap((month) => months.file(month).read().entries()),
    unreadable: () => months.kept().reduce((sum, month) => sum + months.file(month).unreadable, 0),
    close: () => months.close(),
  };
}

function isPending({ isAdmitted, last, reserved }: LedgerEntry, now: number): boolean {
  if (!isAdmitted) return false;
  if (last.outcome === 'reserved') return true;
  // The server answered, if with a fault of its own: when that payment has run out, it is over.
  return last.outcome === 'doubtful' && !hasRunOut(reserved, now);
}

function isLapsed({ isAdmitted, last, reserved }: LedgerEntry, now: number): boolean {
  const isOpen = last.outcome !== 'settled' && last.outcome !== 'released';
  return isAdmitted && isOpen && hasRunOut(reserved, now);
}

function hasRunOut({ authorization }: ReservedRow, now: number): boolean {
  return Number(authorization.validBefore) * SECOND_MS + LAPSE_MARGIN_MS < now;
}

const MONTH_FILE = /^ledger-([0-9a-f]{8})-(\d{4}-\d{2})\.jsonl$/;

/** The files of a wallet, opened as they are needed. */
class Months {
  readonly #folder: string;
  readonly #wallet: string;
  readonly #files = new Map<string, LedgerFile>();

  constructor(folder: string, address: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#folder = folder;
    this.#wallet = address.slice(2, 10).toLowerCase();
  }

  file(month: string): LedgerFile {
    const open = this.#files.get(month) ?? new LedgerFile(this.#path(month));
    this.#files.set(month, open);
    return open;
  }

  existing(month: string): LedgerFile | undefined {
    return existsSync(this.#path(month)) ? this.file(month) : undefined;
  }

  kept(): readonly string[] {
    return readdirSync(this.#folder)
      .flatMap((name) => {
        const [, wallet, month] = MONTH_FILE.exec(name) ?? [];
        return wallet === this.#wallet && month !== undefined ? [month] : [];
      })
      .sort();
  }

  trim(time: string): void {
    const old = this.kept().filter((month) => month <= monthBefore(time, LEDGER_MONTHS_MAX));
    for (const month of old) rmSync(this.#path(month), { force: true });
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }

  #path(month: string): string {
    return join(this.#folder, `ledger-${this.#wallet}-${month}.jsonl`);
  }
}

function monthOf(time: string): string {
  return time.slice(0, 7);
}

function monthBefore(time: string, months = 1): string {
  const count = Number(time.slice(0, 4)) * 12 + Number(time.slice(5, 7)) - 1 - months;
  const month = String((count % 12) + 1).padStart(2, '0');
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${month}`;
}
