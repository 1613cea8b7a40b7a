import { DAY_MS } from '../../../domain/common/time.ts';
import type { PaymentFailure } from '../../../domain/payment/payment-chain.ts';
import { GAS_BUDGETS, type GasPurpose, gasBudget, NEW_WALLETS_PERCENT } from './gas-budgets.ts';

/** A transaction whose gas is charged to a budget. */
export interface GasOrder {
  /** Identifies the transaction. The same name counts once. */
  readonly name: string;
  readonly purpose: GasPurpose;
  /** Wallet of the requester, in any case. Absent for the operator's own transactions. */
  readonly wallet?: string;
  /** The job that the transaction belongs to. A release of the job pays for it. */
  readonly job?: string;
  /** The most gas that it may use. `wei` is the most that it may cost. */
  readonly gas: number;
  readonly wei: bigint;
}

/** A transaction without a receipt. */
export interface HeldGas extends GasOrder {
  /** UTC day, counted from 1970. */
  readonly day: number;
  /** Whether its wallet had no settled payment at the time of the request. */
  readonly isNew: boolean;
}

/** A transaction that counts on its day. */
export interface CountedGas extends GasOrder {
  readonly isNew: boolean;
  readonly isFailed: boolean;
}

/** The complete state of the accounts of a day. */
export interface GasState {
  readonly counted: readonly CountedGas[];
  readonly held: readonly HeldGas[];
  readonly paid: readonly (readonly [string, number])[];
}

/** Most transactions without a receipt. Beyond that, the oldest count with their maximum cost. */
export const GAS_HELD_MAX = 10_000;
/** Most wallets with settled payments. The wallet whose last payment is oldest is dropped first. */
export const GAS_PAYERS_MAX = 20_000;
/** Days for which a transaction without a receipt counts. By then its nonce has been used. */
const HELD_DAYS = 2;

interface Sum {
  gas: number;
  wei: bigint;
  failures: number;
  held: number;
}

/**
 * The gas accounts of one UTC day, in memory: spent gas, pending transactions and paying wallets.
 */
export class GasLedger {
  readonly #budget: bigint | undefined;
  readonly #held = new Map<string, HeldGas>();
  readonly #counted = new Map<string, CountedGas>();
  readonly #jobs = new Map<string, Set<string>>();
  readonly #paid = new Map<string, number>();
  readonly #sums = new Map<string, Sum>();
  #day = 0;

  /** @param budget - Total wei per day; `undefined` where gas is free. */
  constructor(budget: bigint | undefined) {
    this.#budget = budget;
  }

  /** Starts a new day, in which only pending transactions count. */
  startDay(day: number): this {
    if (day <= this.#day) return this;
    this.#day = day;
    for (const { name } of [...this.#held.values()].filter((row) => row.day <= day - HELD_DAYS)) {
      this.#held.delete(name);
    }
    this.#counted.clear();
    this.#jobs.clear();
    this.#sums.clear();
    for (const row of this.#held.values()) this.#add(row, 1);
    return this;
  }

  checkBudget(order: Omit<GasOrder, 'name'>): PaymentFailure | undefined {
    const { purpose, gas } = order;
    const { gasPerCall } = gasBudget(purpose);
    if (gas > gasPerCall) return this.#fault(order, { scope: 'call', limit: gasPerCall });
    return this.#checkWallet(order) ?? this.#checkShare(order, { scope: 'purpose', who: ALL }, 100);
  }

  #checkWallet(order: Omit<GasOrder, 'name'>): PaymentFailure | undefined {
    const { purpose, gas } = order;
    const wallet = order.wallet?.toLowerCase();
    if (wallet === undefined) return undefined;
    const { gasPerWallet, failuresPerWallet } = gasBudget(purpose);
    const walletSum = this.#sum(purpose, wallet);
    // Only a contract wallet can fail at will, so its pending transactions count as failed.
    const failures = walletSum.failures + (purpose === 'contract_settlement' ? walletSum.held : 0);
    if (failuresPerWallet !== undefined && failures >= failuresPerWallet) {
      return this.#fault(order, { scope: 'wallet', wallet, failures, limit: failuresPerWallet });
    }
    if (gasPerWallet !== undefined && walletSum.gas + gas > gasPerWallet) {
      return this.#fault(order, {
        scope: 'wallet',
        wallet,
        used: walletSum.gas,
        limit: gasPerWallet,
      });
    }
    if (this.settledPayments(wallet) > 0) return undefined;
    return this.#checkShare(order, { scope: 'new_wallets', who: NEW }, NEW_WALLETS_PERCENT);
  }

  /** Returns a fault if an order exceeds a share of its purpose's budget, in gas or in wei. */
  #checkShare(
    order: Omit<GasOrder, 'name'>,
    { scope, who }: { readonly scope: keyof typeof SCOPE_LABELS; readonly who: string },
    percent: number,
  ): PaymentFailure | undefined {
    const { purpose } = order;
    const used = this.#sum(purpose, who);
    const limit = (gasBudget(purpose).gasPerDay * percent) / 100;
    const weiLimit = this.#weiShare(purpose, percent);
    const isFit = used.gas + order.gas <= limit;
    if (isFit && (weiLimit === undefined || used.wei + order.wei <= weiLimit)) return undefined;
    return this.#fault(order, { scope, used: used.gas, limit });
  }

  hold(order: GasOrder): void {
    this.#release(order.name);
    const isNew = order.wallet !== undefined && this.settledPayments(order.wallet) === 0;
    const row = { ...order, day: this.#day, isNew };
    this.#held.set(order.name, row);
    this.#add(row, 1);
    const [oldest] = this.#held.values();
    if (this.#held.size <= GAS_HELD_MAX || oldest === undefined) return;
    this.recordResult(oldest.name, { gas: oldest.gas, wei: oldest.wei, end: 'spent' });
  }

  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  raiseCost(name: string, wei: bigint): void {
    const row = this.#held.get(name);
    if (row === undefined) return;
    this.#add(row, -1);
    const raised = { ...row, wei };
    this.#held.set(name, raised);
    this.#add(raised, 1);
  }

  recordResult(
    name: string,
    spent: { gas: number; wei: bigint; end: 'earned' | 'spent' | 'failed' },
  ): void {
    const row = this.#held.get(name);
    if (row === undefined) return;
    this.#release(name);
    const { wallet, job } = row;
    if (spent.end === 'earned') {
      if (wallet !== undefined) this.#recordPayment(wallet.toLowerCase());
      return;
    }
    if (spent.gas === 0) return;
    const { day: _day, ...order } = row;
    const counted = { ...order, gas: spent.gas, wei: spent.wei, isFailed: spent.end === 'failed' };
    // A name may be sent again after a revert, and both transactions count.
    const key = `${name} ${this.#counted.size}`;
    this.#counted.set(key, counted);
    this.#count(counted, 1);
    if (job !== undefined) this.#jobs.set(job, (this.#jobs.get(job) ?? new Set()).add(key));
  }

  hasJob(job: string): boolean {
    return this.#jobs.has(job);
  }

  markJobPaid(job: string): void {
    for (const key of this.#jobs.get(job) ?? []) {
      const row = this.#counted.get(key);
      // Failed transactions are not paid by the job.
      if (row === undefined || row.isFailed) continue;
      this.#count(row, -1);
      this.#counted.set(key, { ...row, gas: 0, wei: 0n });
    }
    this.#jobs.delete(job);
  }

  settledPayments(wallet: string): number {
    return this.#paid.get(wallet.toLowerCase()) ?? 0;
  }

  usedWei(): bigint {
    return listPurposes().reduce((sum, purpose) => sum + this.#sum(purpose, ALL).wei, 0n);
  }

  usedGas(purpose: GasPurpose): number {
    return this.#sum(purpose, ALL).gas;
  }

  state(): GasState {
    const counted = [...this.#counted.values()].filter(({ gas }) => gas > 0);
    return { counted, held: [...this.#held.values()], paid: [...this.#paid] };
  }

  restore({ counted, held, paid }: GasState): void {
    for (const [wallet, count] of paid) this.#paid.set(wallet, count);
    for (const row of held) {
      this.#held.set(row.name, row);
      this.#add(row, 1);
    }
    for (const [place, row] of counted.entries()) {
      const key = `${row.name} ${place}`;
      this.#counted.set(key, row);
      this.#count(row, 1);
      const { job } = row;
      if (job !== undefined) this.#jobs.set(job, (this.#jobs.get(job) ?? new Set()).add(key));
    }
  }

  #recordPayment(wallet: string): void {
    const count = this.settledPayments(wallet) + 1;
    this.#paid.delete(wallet);
    this.#paid.set(wallet, count);
    const [oldest] = this.#paid.keys();
    if (this.#paid.size > GAS_PAYERS_MAX && oldest !== undefined) this.#paid.delete(oldest);
  }

  #release(name: string): void {
    const row = this.#held.get(name);
    if (row === undefined) return;
    this.#held.delete(name);
    this.#add(row, -1);
  }

  #add(row: HeldGas, sign: 1 | -1): void {
    this.#addToSums(row, {
      gas: sign * row.gas,
      wei: BigInt(sign) * row.wei,
      failures: 0,
      held: sign,
    });
  }

  #count(row: CountedGas, sign: 1 | -1): void {
    const failures = row.isFailed ? sign : 0;
    this.#addToSums(row, { gas: sign * row.gas, wei: BigInt(sign) * row.wei, failures, held: 0 });
  }

  #addToSums({ purpose, wallet, isNew }: HeldGas | CountedGas, by: Sum): void {
    const scopes = [ALL, ...(isNew ? [NEW] : []), ...(wallet === undefined ? [] : [wallet])];
    for (const who of scopes) {
      const key = sumKey(purpose, who);
      const { gas, wei, failures, held } = this.#sums.get(key) ?? EMPTY_SUM;
      this.#sums.set(key, {
        gas: gas + by.gas,
        wei: wei + by.wei,
        failures: failures + by.failures,
        held: held + by.held,
      });
    }
  }

  #sum(purpose: GasPurpose, who: string): Sum {
    return this.#sums.get(sumKey(purpose, who)) ?? EMPTY_SUM;
  }

  #weiShare(purpose: GasPurpose, percent: number): bigint | undefined {
    if (this.#budget === undefined) return undefined;
    return (this.#budget * BigInt(gasBudget(purpose).percent) * BigInt(percent)) / 10_000n;
  }

  #fault(
    { purpose, gas, wei }: Omit<GasOrder, 'name'>,
    why: { scope: keyof typeof SCOPE_LABELS; limit: number; [fact: string]: unknown },
  ): PaymentFailure {
    const begins = new Date((this.#day + 1) * DAY_MS).toISOString();
    const all = this.#sum(purpose, ALL);
    const limit = this.#weiShare(purpose, 100);
    const cost = limit === undefined ? {} : { used_wei: `${all.wei}`, budget_wei: `${limit}` };
    return {
      code: 'GAS_BUDGET',
      message: `${SCOPE_LABELS[why.scope]} for ${purpose} is used up. It resets at ${begins}.`,
      data: {
        purpose,
        ...why,
        cost_gas: gas,
        cost_wei: `${wei}`,
        used_gas: all.gas,
        budget_gas: gasBudget(purpose).gasPerDay,
        ...cost,
        begins_anew: begins,
      },
    };
  }
}

const ALL = 'all';
const NEW = 'new';
const EMPTY_SUM: Sum = { gas: 0, wei: 0n, failures: 0, held: 0 };
const SCOPE_LABELS = {
  call: 'The gas limit of one call',
  wallet: "This wallet's daily gas",
  new_wallets: 'The daily gas of wallets without a settled payment',
  purpose: 'The daily gas',
} as const;

function sumKey(purpose: GasPurpose, who: string): string {
  return `${purpose} ${who.toLowerCase()}`;
}

function listPurposes(): readonly GasPurpose[] {
  return Object.keys(GAS_BUDGETS) as GasPurpose[];
}
