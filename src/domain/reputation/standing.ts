/** Sums over the delivered and settled jobs from one buyer to one provider. Micro-dollars. */
export interface Pair {
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

/** What is kept of a wallet beside its pairs. */
export interface Standing {
  /** Pairs in which it is the provider, by buyer. */
  readonly earned: Map<number, Pair>;
  /** Providers that it has paid. */
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

/** A pair without jobs. */
export function newPair(buyer: number, at: number): Pair {
  const sums = { jobs: 0, paid: 0n, fees: 0n, value: 0n, weight: 0n, escrowedWeight: 0n };
  return { buyer, ...sums, firstAt: at, lastAt: at };
}

/** A wallet of which nothing is known. */
export function newStanding(): Standing {
  return {
    earned: new Map(),
    paid: [],
    ...{ disputes: 0, lostDisputes: 0, refunds: 0, unfulfilled: 0, badWeight: 0n },
    undelivered: { jobs: 0, paid: 0n },
    bought: { jobs: 0, paid: 0n, disputes: 0, lostDisputes: 0, leftUnpaid: 0 },
  };
}
