/**
 * Sums over the delivered and settled jobs of one buyer and one provider. Amounts in micro-dollars.
 */
export interface PairTotals {
  readonly buyer: number;
  jobs: number;
  paid: bigint;
  fees: bigint;
  value: bigint;
  weight: bigint;
  escrowedWeight: bigint;
  firstAt: number;
  lastAt: number;
}

/** The sums of a wallet, in addition to its pairs. */
export interface WalletTotals {
  /** Pairs in which the wallet is the provider, by buyer. */
  readonly earned: Map<number, PairTotals>;
  /** Providers that the wallet has paid. */
  readonly paid: number[];
  disputes: number;
  lostDisputes: number;
  refunds: number;
  unfulfilled: number;
  badWeight: bigint;
  undelivered: { jobs: number; paid: bigint };
  readonly bought: {
    jobs: number;
    paid: bigint;
    disputes: number;
    lostDisputes: number;
    leftUnpaid: number;
  };
}

/** Creates a pair without jobs. */
export function createPairTotals(buyer: number, at: number): PairTotals {
  const sums = { jobs: 0, paid: 0n, fees: 0n, value: 0n, weight: 0n, escrowedWeight: 0n };
  return { buyer, ...sums, firstAt: at, lastAt: at };
}

/** Creates the sums of an unknown wallet. */
export function createWalletTotals(): WalletTotals {
  return {
    earned: new Map(),
    paid: [],
    disputes: 0,
    lostDisputes: 0,
    refunds: 0,
    unfulfilled: 0,
    badWeight: 0n,
    undelivered: { jobs: 0, paid: 0n },
    bought: { jobs: 0, paid: 0n, disputes: 0, lostDisputes: 0, leftUnpaid: 0 },
  };
}
