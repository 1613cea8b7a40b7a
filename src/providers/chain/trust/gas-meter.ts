import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { DAY_MS } from '../../../domain/common/time.ts';
import type { PaymentFailure } from '../../../domain/payment/payment-chain.ts';
import { readJsonLines } from '../local/json-file.ts';
import { GAS_BUDGETS, type GasPurpose } from './gas-budgets.ts';
import { GasLedger, type GasOrder, type GasState } from './gas-ledger.ts';

/** The final cost of a transaction. `earned`: the requester has paid for its gas. */
export interface GasResult {
  readonly gas: number;
  readonly wei: bigint;
  readonly end: 'earned' | 'spent' | 'failed';
}

/**
 * Counts the gas of the operator's transactions per purpose, wallet and UTC day, across restarts. A
 * transaction counts with its maximum cost from before it is signed, and with its real cost once
 * the receipt is known. If the receipt is lost, it keeps counting.
 */
export interface GasMeter {
  /** Returns the wei since midnight UTC, including pending transactions. */
  used(): bigint;
  /** Total wei per day; `undefined` where gas is free. */
  readonly budget: bigint | undefined;
  /** Returns a purpose's units of gas since midnight UTC, including pending transactions. */
  usedGas(purpose: GasPurpose): number;
  /** Returns the fault that {@link hold} would return, without counting. */
  checkBudget(order: Omit<GasOrder, 'name'>): PaymentFailure | undefined;
  /** Counts a transaction under its name, or returns a fault if its budget does not allow it. */
  hold(order: GasOrder): PaymentFailure | undefined;
  /** Returns whether a transaction of this name has no receipt yet. */
  isHeld(name: string): boolean;
  /** Records that a held transaction was replaced by one that may cost this much. */
  raiseCost(name: string, wei: bigint): void;
  /** Records the real cost of a held transaction. Names that are not held are ignored. */
  settle(name: string, spent: GasResult): void;
  /** Records that a job is paid. Its transactions since midnight no longer count. */
  markJobPaid(job: string): void;
  /** Returns the settled payments of a wallet, or 0 if it never paid. */
  settledPayments(wallet: string): number;
}

/** Lines after which the file is rewritten. */
export const GAS_LINES_MAX = 20_000;

const Wei = z.string().regex(/^\d+$/);
const Purpose = z.enum(Object.keys(GAS_BUDGETS) as [GasPurpose, ...GasPurpose[]]);
const Order = z.object({
  name: z.string(),
  purpose: Purpose,
  wallet: z.string().optional(),
  job: z.string().optional(),
  gas: z.number(),
  wei: Wei,
});
const Held = Order.extend({ day: z.number(), isNew: z.boolean() });
const Spent = z.object({ gas: z.number(), wei: Wei, end: z.enum(['earned', 'spent', 'failed']) });
const Line = z.discriminatedUnion('is', [
  z.object({ is: z.literal('hold'), at: z.number(), order: Order }),
  z.object({ is: z.literal('raise'), at: z.number(), name: z.string(), wei: Wei }),
  z.object({ is: z.literal('end'), at: z.number(), name: z.string(), spent: Spent }),
  z.object({ is: z.literal('job'), at: z.number(), job: z.string() }),
  z.object({
    is: z.literal('state'),
    at: z.number(),
    counted: z.array(Order.extend({ isNew: z.boolean(), isFailed: z.boolean() })),
    held: z.array(Held),
    paid: z.array(z.tuple([z.string(), z.number()])),
  }),
]);
type Line = z.infer<typeof Line>;

/**
 * Reads the lines of a gas file.
 *
 * @throws {AppError} `DATA_DAMAGED`
 */
export function readGasLines(file: string): readonly Line[] {
  return readJsonLines(file, Line);
}

/** Opens the meter on a file. Without a file, it lives in memory only. `now` is in milliseconds. */
export function openGasMeter(parts: {
  readonly now: () => number;
  readonly budget: bigint | undefined;
  readonly file?: string;
}): GasMeter {
  const { now, budget, file } = parts;
  const ledger = new GasLedger(budget);
  let lines = 0;
  // A line that a crash cut off does not count: its transaction was not signed yet.
  for (const line of file === undefined ? [] : readGasLines(file)) applyLine(ledger, line);
  const today = () => Math.floor(now() / DAY_MS);
  const appendLine = (line: Line) => {
    if (file === undefined) return;
    lines += 1;
    if (lines <= GAS_LINES_MAX) {
      // If this fails halfway, the next line rewrites the whole file.
      const lineCount = lines;
      lines = GAS_LINES_MAX;
      appendFileSync(file, formatLine(line), { mode: 0o600 });
      lines = lineCount;
      return;
    }
    writeFileSync(`${file}.new`, formatLine(createStateLine(ledger.state(), today())), {
      mode: 0o600,
    });
    renameSync(`${file}.new`, file);
    lines = 1;
  };
  const record = (line: Line) => {
    applyLine(ledger, line);
    appendLine(line);
  };
  if (file !== undefined) {
    ledger.startDay(today());
    lines = GAS_LINES_MAX;
    appendLine({ is: 'job', at: today(), job: '' });
  }
  return {
    budget,
    used: () => ledger.startDay(today()).usedWei(),
    usedGas: (purpose) => ledger.startDay(today()).usedGas(purpose),
    checkBudget: (order) => ledger.startDay(today()).checkBudget(order),
    hold: (order) => {
      const fault = ledger.startDay(today()).checkBudget(order);
      if (fault !== undefined) return fault;
      record({ is: 'hold', at: today(), order: { ...order, wei: `${order.wei}` } });
      return undefined;
    },
    isHeld: (name) => ledger.startDay(today()).isHeld(name),
    raiseCost: (name, wei) => {
      if (ledger.isHeld(name)) record({ is: 'raise', at: today(), name, wei: `${wei}` });
    },
    settle: (name, spent) => {
      if (!ledger.startDay(today()).isHeld(name)) return;
      record({ is: 'end', at: today(), name, spent: { ...spent, wei: `${spent.wei}` } });
    },
    markJobPaid: (job) => {
      if (ledger.startDay(today()).hasJob(job)) record({ is: 'job', at: today(), job });
    },
    settledPayments: (wallet) => ledger.settledPayments(wallet),
  };
}

function applyLine(book: GasLedger, line: Line): void {
  book.startDay(line.at);
  switch (line.is) {
    case 'hold':
      book.hold(toOrder(line.order));
      return;
    case 'raise':
      book.raiseCost(line.name, BigInt(line.wei));
      return;
    case 'end':
      book.recordResult(line.name, { ...line.spent, wei: BigInt(line.spent.wei) });
      return;
    case 'job':
      book.markJobPaid(line.job);
      return;
    case 'state':
      book.restore({
        counted: line.counted.map((row) => {
          return { ...toOrder(row), isNew: row.isNew, isFailed: row.isFailed };
        }),
        held: line.held.map((row) => ({ ...toOrder(row), isNew: row.isNew, day: row.day })),
        paid: line.paid,
      });
  }
}

function toOrder({ wallet, job, wei, ...order }: z.infer<typeof Order>): GasOrder {
  return {
    name: order.name,
    purpose: order.purpose,
    gas: order.gas,
    wei: BigInt(wei),
    ...(wallet === undefined ? {} : { wallet }),
    ...(job === undefined ? {} : { job }),
  };
}

function createStateLine({ counted, held, paid }: GasState, at: number): Line {
  return {
    is: 'state',
    at,
    counted: counted.map((row) => ({ ...row, wei: `${row.wei}` })),
    held: held.map((row) => ({ ...row, wei: `${row.wei}` })),
    paid: paid.map(([wallet, count]) => [wallet, count]),
  };
}

function formatLine(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}
