/** A gas budget that the operator pays for one purpose on a UTC day. */
export interface GasBudget {
  /** Share of `STOA_GAS_BUDGET_PER_DAY`, in percent. All shares add up to 100. */
  readonly percent: number;
  /** Units of gas per day. They also limit chains where gas is free. */
  readonly gasPerDay: number;
  /** Units of gas per wallet and day. Absent if no wallet requests the call. */
  readonly gasPerWallet?: number;
  /** Transactions of one wallet that may fail per day. */
  readonly failuresPerWallet?: number;
  /** Most units of gas for one transaction. */
  readonly gasPerCall: number;
  /** What the budget pays for, as stated in `docs/gas.md`. */
  readonly paysFor: string;
}

/**
 * All gas budgets of the operator. Only losses count: settled payments and the calls of released
 * jobs have paid for their gas and are removed from the count.
 */
export const GAS_BUDGETS = {
  settlement: {
    percent: 13,
    gasPerDay: 600_000_000,
    failuresPerWallet: 3,
    gasPerCall: 150_000,
    paysFor: 'failed payments that a key signed',
  },
  contract_settlement: {
    percent: 10,
    gasPerDay: 120_000_000,
    failuresPerWallet: 3,
    gasPerCall: 300_000,
    paysFor: 'failed payments that a contract wallet signed',
  },
  claims: {
    percent: 2,
    gasPerDay: 60_000_000,
    gasPerCall: 150_000,
    paysFor: 'lost claims of payments that a third party sent',
  },
  escrow: {
    percent: 20,
    gasPerDay: 300_000_000,
    gasPerWallet: 10_000_000,
    failuresPerWallet: 3,
    gasPerCall: 500_000,
    paysFor: 'funding of jobs in the escrow',
  },
  moves: {
    percent: 15,
    gasPerDay: 300_000_000,
    gasPerWallet: 20_000_000,
    failuresPerWallet: 3,
    gasPerCall: 400_000,
    paysFor: 'job moves that a party signed',
  },
  give_backs: {
    percent: 5,
    gasPerDay: 60_000_000,
    gasPerWallet: 500_000,
    failuresPerWallet: 3,
    gasPerCall: 300_000,
    paysFor: 'jobs that a provider refunds',
  },
  closings: {
    percent: 10,
    gasPerDay: 300_000_000,
    gasPerCall: 500_000,
    paysFor: 'jobs that a deadline or the arbiter closes, and refunds of unassigned escrow money',
  },
  passports: {
    percent: 8,
    gasPerDay: 500_000_000,
    gasPerWallet: 20_000_000,
    gasPerCall: 2_000_000,
    paysFor: 'registrations and changes of agents',
  },
  feedback: {
    percent: 2,
    gasPerDay: 100_000_000,
    gasPerCall: 600_000,
    paysFor: 'feedback about settled jobs',
  },
  anchors: {
    percent: 5,
    gasPerDay: 300_000_000,
    gasPerCall: 500_000,
    paysFor: 'roots of the proof log',
  },
  refunds: {
    percent: 6,
    gasPerDay: 300_000_000,
    gasPerCall: 150_000,
    paysFor: 'refunds and payouts of the treasury',
  },
  faucet: {
    percent: 2,
    gasPerDay: 1_000_000_000,
    gasPerCall: 200_000,
    paysFor: 'test dollars on the local chain',
  },
  nonces: {
    percent: 2,
    gasPerDay: 30_000_000,
    gasPerCall: 25_000,
    paysFor: 'empty transactions that fill nonce gaps',
  },
} as const satisfies Readonly<Record<string, GasBudget>>;

/** A purpose for which the operator pays gas. */
export type GasPurpose = keyof typeof GAS_BUDGETS;

/** Share of a purpose for all wallets without a settled payment together, in percent. */
export const NEW_WALLETS_PERCENT = 50;

/** Returns the budget of a purpose, with its optional members. */
export function gasBudget(purpose: GasPurpose): GasBudget {
  return GAS_BUDGETS[purpose];
}
