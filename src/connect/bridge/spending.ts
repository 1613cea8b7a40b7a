import { toJson } from '../../domain/common/json.ts';
import {
  formatMicroUsd,
  formatUsd,
  type MicroUsdText,
  type Money,
  toMoney,
} from '../../domain/common/money.ts';
import type { Caps } from '../ledger/caps.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Key of the wallet's spending record in a result's `_meta`. */
const SPENDING_META = 'stoa/spending';

/** A tool result exactly as the server sent it. */
export type RawResult = Readonly<Record<string, unknown>>;

/** The cost of a call and the remaining budget. */
export interface Spending {
  readonly price: Money;
  /** 0 if the server did not charge. */
  readonly paid: Money;
  readonly left_today: Money;
  readonly per_day: Money;
  readonly transaction: string | null;
  /** Address of the payee. */
  readonly pay_to: string;
}

/** Returns the rest of today's cap in micro-dollars, at least 0. */
export function remainingToday(ledger: Ledger, caps: Caps): MicroUsdText {
  const left = BigInt(caps.perDay) - ledger.totalsToday('').day;
  return formatMicroUsd(left > 0n ? left : 0n);
}

/** Formats an amount of micro-dollars as `$2.00`. */
export function formatDollars(amount: MicroUsdText): string {
  return `$${formatUsd(BigInt(amount))}`;
}

/** Creates the spending record of one call. */
export function createSpending(facts: {
  readonly price: MicroUsdText;
  readonly paid: MicroUsdText;
  readonly left: MicroUsdText;
  readonly caps: Caps;
  readonly payTo: string;
  readonly transaction: string | null;
}): Spending {
  return {
    price: toMoney(facts.price),
    paid: toMoney(facts.paid),
    left_today: toMoney(facts.left),
    per_day: toMoney(facts.caps.perDay),
    transaction: facts.transaction,
    pay_to: facts.payTo,
  };
}

/** Adds the spending record to a result: to `_meta`, and as the last line of the content. */
export function appendSpending(result: RawResult, spending: Spending, note = ''): RawResult {
  const content = Array.isArray(result['content']) ? result['content'] : [];
  const meta = typeof result['_meta'] === 'object' ? result['_meta'] : {};
  const { paid, left_today: left, per_day: day, transaction } = spending;
  const proof = transaction === null ? '' : ` Transaction ${transaction}.`;
  const said = paid.micro_usd === '0' ? 'Nothing was charged' : `Paid $${paid.amount}`;
  const text = `${said}; $${left.amount} of $${day.amount} left today.${proof}${note}`;
  return {
    ...result,
    content: [...content, { type: 'text', text }],
    _meta: { ...meta, [SPENDING_META]: toJson(spending) },
  };
}
