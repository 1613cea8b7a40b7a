import { findBreach, type SpentTotals } from './caps.ts';
import type { LedgerRow, OutcomeRow, ReservedRow } from './rows.ts';

/** A payment in the ledger, with its latest row. */
export interface LedgerEntry {
  readonly reserved: ReservedRow;
  readonly last: LedgerRow;
  /** True if it fits the caps at its position in the file, or a person approved it. */
  readonly isAdmitted: boolean;
}

/**
 * State of the ledger, folded from its rows in file order. Every process computes the same totals,
 * so the position in the file decides between concurrent payments.
 */
export class LedgerState {
  readonly #entries = new Map<string, LedgerEntry>();
  readonly #days = new Map<string, bigint>();
  readonly #tools = new Map<string, bigint>();

  /** Adds the next row of the file. */
  add(row: LedgerRow): void {
    if (row.outcome === 'reserved') this.#reserve(row);
    else this.#end(row);
  }

  /** Returns all payments in the order of reservation, including those not admitted. */
  entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()];
  }

  find(nonce: string): LedgerEntry | undefined {
    return this.#entries.get(nonce);
  }

  /** Returns the amounts spent and held on a UTC day, `YYYY-MM-DD`, in micro-dollars. */
  totals(day: string, tool: string): SpentTotals {
    return {
      day: this.#days.get(day) ?? 0n,
      tool: this.#tools.get(toolKey(day, tool)) ?? 0n,
    };
  }

  #reserve(row: ReservedRow): void {
    if (this.#entries.has(row.nonce)) return;
    const totals = this.totals(utcDayOf(row.time), row.tool);
    const isAdmitted =
      row.approved || findBreach(BigInt(row.amount), row.caps, totals) === undefined;
    this.#entries.set(row.nonce, { reserved: row, last: row, isAdmitted });
    if (isAdmitted) this.#count(row, BigInt(row.amount));
  }

  #end(row: OutcomeRow): void {
    const entry = this.#entries.get(row.nonce);
    if (entry === undefined || !entry.isAdmitted) return;
    const { reserved } = entry;
    const was = isCounted(entry.last);
    const is = isCounted(row);
    if (was && !is) this.#count(reserved, -BigInt(reserved.amount));
    if (!was && is) this.#count(reserved, BigInt(reserved.amount));
    this.#entries.set(row.nonce, { ...entry, last: row });
  }

  #count({ time, tool }: ReservedRow, amount: bigint): void {
    const day = utcDayOf(time);
    const key = toolKey(day, tool);
    this.#days.set(day, (this.#days.get(day) ?? 0n) + amount);
    this.#tools.set(key, (this.#tools.get(key) ?? 0n) + amount);
  }
}

/** Returns the UTC day, `YYYY-MM-DD`, of an RFC 3339 time. */
export function utcDayOf(time: string): string {
  return time.slice(0, 10);
}

/** A payment counts against the caps until the chain shows that it expired unused. */
function isCounted({ outcome }: LedgerRow): boolean {
  return outcome !== 'released';
}

function toolKey(day: string, tool: string): string {
  return `${day} ${tool}`;
}
