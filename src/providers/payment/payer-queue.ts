import pLimit, { type LimitFunction } from 'p-limit';

/** Pending settlements of one payer. */
interface PayerQueue {
  sum: bigint;
  /** Settlements that run at once. */
  readonly running: Set<Promise<unknown>>;
  readonly serialize: LimitFunction;
}

/**
 * Serializes payments of one payer that its balance does not cover together. Otherwise all would be
 * sent, and all but the first would be reverted at the operator's cost.
 */
export class PayerQueues {
  readonly #queues = new Map<string, PayerQueue>();

  /** Runs a settlement and counts it towards its payer's sum until it has ended. */
  async runCounted<Result>(
    { payer, value }: { readonly payer: string; readonly value: bigint },
    act: () => Promise<Result>,
  ): Promise<Result> {
    const line = this.#queueOf(payer);
    line.sum += value;
    try {
      return await act();
    } finally {
      line.sum -= value;
      if (line.sum === 0n) this.#queues.delete(payer);
    }
  }

  /** Returns the sum of the payer's counted settlements. */
  sum(payer: string): bigint {
    return this.#queues.get(payer)?.sum ?? 0n;
  }

  /** Runs a counted settlement at once. */
  runNow<Result>(payer: string, act: () => Promise<Result>): Promise<Result> {
    const { running: sent } = this.#queueOf(payer);
    const running = act().finally(() => sent.delete(running));
    sent.add(running);
    return running;
  }

  /** Runs a counted settlement when no other one of its payer is running. */
  runExclusively<Result>(payer: string, act: () => Promise<Result>): Promise<Result> {
    const line = this.#queueOf(payer);
    return line.serialize(async () => {
      while (line.running.size > 0) await Promise.allSettled(line.running);
      return act();
    });
  }

  #queueOf(payer: string): PayerQueue {
    const line = this.#queues.get(payer) ?? {
      sum: 0n,
      running: new Set<Promise<unknown>>(),
      serialize: pLimit(1),
    };
    this.#queues.set(payer, line);
    return line;
  }
}
