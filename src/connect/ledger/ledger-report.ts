import { type Money, toMoney } from '../../domain/common/money.ts';
import { type LedgerEntry, utcDayOf } from './ledger-state.ts';

/** Most rows in the table; the JSON output has all. */
export const TABLE_ROWS_MAX = 200;

/** Totals for one tool on one UTC day. */
export interface DayTotal {
  readonly day: string;
  readonly tool: string;
  readonly payments: number;
  readonly settled: Money;
  /** Signed, but neither settled nor known to be unused; counts against the caps. */
  readonly held: Money;
}

/** One payment in the output, without key and signature. */
export interface LedgerReportEntry {
  readonly time: string;
  readonly tool: string;
  readonly amount: Money;
  readonly outcome: string;
  readonly code: string | null;
  readonly server: string;
  readonly pay_to: string;
  readonly nonce: string;
  readonly transaction: string | null;
  readonly refund: Money | null;
  readonly approved: boolean;
}

/** The ledger as JSON: totals first. */
export interface LedgerReport {
  readonly address: string;
  readonly days: readonly DayTotal[];
  readonly payments: readonly LedgerReportEntry[];
  readonly unreadable_lines: number;
}

/** Builds the output of a wallet's ledger. Omits payments that were not admitted. */
export function createLedgerReport(
  address: string,
  entries: readonly LedgerEntry[],
  unreadable: number,
): LedgerReport {
  const made = entries.filter(({ isAdmitted }) => isAdmitted);
  return {
    address,
    days: computeDayTotals(made),
    payments: made.map(toReportEntry),
    unreadable_lines: unreadable,
  };
}

/** Formats the ledger as text: totals per day and tool, then the newest payments. */
export function formatLedgerReport({
  address,
  days,
  payments,
  unreadable_lines,
}: LedgerReport): string {
  const sums = days.map((sum) => [
    sum.day,
    sum.tool,
    String(sum.payments),
    `$${sum.settled.amount}`,
    `$${sum.held.amount}`,
  ]);
  const newest = payments.slice(-TABLE_ROWS_MAX);
  const rows = newest.map((entry) => [
    entry.time,
    entry.tool,
    `$${entry.amount.amount}`,
    entry.code === null ? entry.outcome : `${entry.outcome} (${entry.code})`,
    entry.server,
    entry.pay_to,
    entry.nonce,
    entry.transaction ?? '-',
  ]);
  const left = payments.length - newest.length;
  return [
    `Wallet ${address}`,
    '',
    ...formatTable(['day', 'tool', 'payments', 'settled', 'held'], sums),
    '',
    ...formatTable(['time', 'tool', 'amount', 'outcome', 'server', 'paid to', 'nonce', 'tx'], rows),
    ...(left > 0 ? [`${left} older payments are not shown. Use --json to list all.`] : []),
    ...(unreadable_lines > 0 ? [`${unreadable_lines} lines are not valid rows.`] : []),
  ].join('\n');
}

function computeDayTotals(entries: readonly LedgerEntry[]): readonly DayTotal[] {
  const groups = new Map<string, LedgerEntry[]>();
  for (const entry of entries) {
    const key = `${utcDayOf(entry.reserved.time)} ${entry.reserved.tool}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const settled = group.filter(({ last }) => last.outcome === 'settled');
    const held = group.filter(({ last }) => !['settled', 'released'].includes(last.outcome));
    const { time, tool } = first.reserved;
    const day = utcDayOf(time);
    return [
      { day, tool, payments: group.length, settled: sumAmounts(settled), held: sumAmounts(held) },
    ];
  });
}

function sumAmounts(entries: readonly LedgerEntry[]): Money {
  const total = entries.reduce((all, { reserved }) => all + BigInt(reserved.amount), 0n);
  return toMoney(total.toString());
}

function toReportEntry({ reserved, last }: LedgerEntry): LedgerReportEntry {
  const { time, tool, amount, server, payTo, nonce, approved } = reserved;
  const isOpen = last.outcome === 'reserved';
  const refund = isOpen ? null : last.refund;
  return {
    time,
    tool,
    amount: toMoney(amount),
    outcome: last.outcome,
    code: isOpen ? null : last.code,
    server,
    pay_to: payTo,
    nonce,
    transaction: last.tx,
    refund: refund === null ? null : toMoney(refund),
    approved,
  };
}

function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
