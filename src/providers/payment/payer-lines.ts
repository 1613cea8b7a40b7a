/** Money of one payer that settlements under way will take. */
interface Line {
  sum: bigint;
  /** Settlements that did not have to wait. */
  readonly sent: Set<Promise<unknown>>;
  /** The last of those that wait for each other. */
  last: Promise<unknown>;
}

/**
 * Keeps payments of one payer apart that its balance does not cover together: each alone would be
 * sent, and all but the first be reverted at the operator's cost.
 */
export class PayerLines {
  readonly #lines = new Map<string, Line>();

  /** Carries a settlement out that is counted among those of its payer until it has ended. */
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

  /** What the counted settlements of a payer will take. */
  sum(payer: string): bigint {
    return this.#lines.get(payer)?.sum ?? 0n;
  }

  /** Carries a counted settlement out at once. */
  now<Result>(payer: string, act: () => Promise<Result>): Promise<Result> {
    const { sent } = this.#line(payer);
    const running = act().finally(() => sent.delete(running));
    sent.add(running);
    return running;
  }

  /** Carries a counted settlement out when no other one of its payer is under way. */
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
