import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { SpentTotals } from './caps.ts';
import { LedgerFile } from './ledger-file.ts';
import { type LedgerEntry, utcDayOf } from './ledger-state.ts';
import type { OutcomeRow, ReservedRow } from './rows.ts';

/** Number of monthly ledger files kept, including the current one. */
export const LEDGER_MONTHS_MAX = 13;
/** Margin for clock skew before an authorization counts as expired, in milliseconds. */
export const EXPIRY_MARGIN_MS = 60 * SECOND_MS;

/** Final outcome of a payment. */
export type PaymentOutcome = Pick<OutcomeRow, 'outcome' | 'code' | 'refund' | 'tx'>;

/** Record of a wallet's signed payments, shared by all processes that use the wallet. */
export interface Ledger {
  /**
   * Reserves a payment; it is on disk on return. Only an admitted payment may be signed.
   *
   * @returns True if it is admitted: it fits its caps or was approved.
   * @throws {AppError} `STORE_FULL`
   */
  reserve(row: ReservedRow): boolean;
  recordOutcome(nonce: string, ending: PaymentOutcome): void;
  /** Returns the first payment for this call with an unknown outcome, to present again. */
  findPending(call: string): LedgerEntry | undefined;
  /** Returns open payments that expired by the clock, for a check on the chain. */
  listExpired(): readonly LedgerEntry[];
  /** Returns the amounts spent and held today, in micro-dollars. */
  totalsToday(tool: string): SpentTotals;
  /** Returns all kept payments, oldest first. */
  entries(): readonly LedgerEntry[];
  /** Returns the number of invalid lines in the kept files. */
  countUnreadable(): number;
  close(): void;
}

/** Opens the ledger of a wallet: one file per month, in a folder that wallets may share. */
export function openLedger(options: {
  readonly folder: string;
  readonly address: string;
  readonly now: () => number;
}): Ledger {
  const months = new MonthFiles(options.folder, options.address);
  const time = (): string => new Date(options.now()).toISOString();
  months.trim(time());

  /** All rows of a payment are in the file of the month in which it was reserved. */
  const recent = (): readonly LedgerEntry[] =>
    [monthBefore(time()), monthOf(time())].flatMap(
      (month) => months.existingFile(month)?.read().entries() ?? [],
    );
  const find = (nonce: string): LedgerEntry => {
    const entry = recent().find(({ reserved }) => reserved.nonce === nonce);
    if (entry === undefined) throw new AppError('INVARIANT', { message: 'payment not reserved' });
    return entry;
  };

  return {
    reserve: (row) => {
      const file = months.file(monthOf(row.time));
      file.append(row);
      return file.read().find(row.nonce)?.isAdmitted === true;
    },
    recordOutcome: (nonce, ending) => {
      const { time: reservedAt, tool, amount, server, payTo } = find(nonce).reserved;
      const facts = { time: time(), tool, amount, server, payTo, nonce };
      months.file(monthOf(reservedAt)).append({ ...facts, ...ending });
    },
    findPending: (call) =>
      recent().find((entry) => {
        const { call: name, asked } = entry.reserved;
        return (name === call || asked === call) && isPending(entry, options.now());
      }),
    listExpired: () => recent().filter((entry) => isExpired(entry, options.now())),
    totalsToday: (tool) => months.file(monthOf(time())).read().totals(utcDayOf(time()), tool),
    entries: () => months.listMonths().flatMap((month) => months.file(month).read().entries()),
    countUnreadable: () =>
      months.listMonths().reduce((sum, month) => sum + months.file(month).unreadable, 0),
    close: () => months.close(),
  };
}

function isPending({ isAdmitted, last, reserved }: LedgerEntry, now: number): boolean {
  if (!isAdmitted) return false;
  if (last.outcome === 'reserved') return true;
  // The server failed on this payment; after it expires, a new call may pay again.
  return last.outcome === 'doubtful' && !hasValidityEnded(reserved, now);
}

function isExpired({ isAdmitted, last, reserved }: LedgerEntry, now: number): boolean {
  const isOpen = last.outcome !== 'settled' && last.outcome !== 'released';
  return isAdmitted && isOpen && hasValidityEnded(reserved, now);
}

function hasValidityEnded({ authorization }: ReservedRow, now: number): boolean {
  return Number(authorization.validBefore) * SECOND_MS + EXPIRY_MARGIN_MS < now;
}

const MONTH_FILE = /^ledger-([0-9a-f]{8})-(\d{4}-\d{2})\.jsonl$/;

/** The monthly files of a wallet, opened on demand. */
class MonthFiles {
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

  existingFile(month: string): LedgerFile | undefined {
    return existsSync(this.#path(month)) ? this.file(month) : undefined;
  }

  listMonths(): readonly string[] {
    return readdirSync(this.#folder)
      .flatMap((name) => {
        const [, wallet, month] = MONTH_FILE.exec(name) ?? [];
        return wallet === this.#wallet && month !== undefined ? [month] : [];
      })
      .sort();
  }

  trim(time: string): void {
    const old = this.listMonths().filter((month) => month <= monthBefore(time, LEDGER_MONTHS_MAX));
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
