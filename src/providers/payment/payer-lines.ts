/** Pending settlements of one payer. */
interface Line {
  sum: bigint;
  /** Settlements that run at once. */
  readonly sent: Set<Promise<unknown>>;
  /** The last settlement in the serial queue. */
  last: Promise<unknown>;
}

/**
 * Serializes payments of one payer that its balance does not cover together. Otherwise all would be
 * sent, and all but the first would be reverted at the operator's cost.
 */
export class PayerLines {
  readonly #lines = new Map<string, Line>();

  /** Runs a settlement and counts it towards its payer's sum until it has ended. */
  async counted<Result>(
    { payer, value }: { readonly payer: string; readonly value: bigint },
    act: () => Promise<Result>,
  ): Promise<Result> {
    const line = this.#line(payer);
    line.sum += value;
    try {
      return await act();
    } finally {
      line.sum -= value;
      if (line.sum === 0n) this.#lines.delete(payer);
    }
  }

  /** Returns the sum of the payer's counted settlements. */
  sum(payer: string): bigint {
    return this.#lines.get(payer)?.sum ?? 0n;
  }

  /** Runs a counted settlement at once. */
  now<Result>(payer: string, act: () => Promise<Result>): Promise<Result> {
    const { sent } = this.#line(payer);
    const running = act().finally(() => sent.delete(running));
    sent.add(running);
    return running;
  }

  /** Runs a counted settlement when no other one of its payer is running. */
  inTurn<Result>(payer: string, act: () => Promise<Result>): Promise<Result> {
    const line = this.#line(payer);
    const turn = line.last.then(async () => {
      while (line.sent.size > 0) await Promise.allSettled(line.sent);
      return act();
    });
    line.last = turn.catch(() => undefined);
    return turn;
  }

  #line(payer: string): Line {
    const line = this.#lines.get(payer) ?? {
      ...{ sum: 0n, sent: new Set<Promise<unknown>>(), last: Promise.resolve() },
    };
    this.#lines.set(payer, line);
    return line;
  }
}
