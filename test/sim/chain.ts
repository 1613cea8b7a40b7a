import type { Effect, EffectContext } from '../../src/runtime/engine/types.ts';
import type { Chance } from './chance.ts';
import { Chance as SeededChance } from './chance.ts';
import { ATTEMPTS } from './kinds/limits.ts';
import type { SimClock } from './sim-clock.ts';
import type { Faults } from './trace.ts';

/** Milliseconds that a payment can take to land after its sender stopped waiting. */
const LANDS_LATE_MS = 90_000;

/** Told of every attempt of an effect, and says how it goes on. */
export interface Attempts {
  /**
   * Checks and notes the attempt, then does `work`; what comes of it counts only while it lives.
   */
  attempt(
    src: string,
    input: unknown,
    context: EffectContext,
    work: () => Promise<unknown>,
  ): Promise<unknown>;
}

/**
 * A chain and its faults: payments that land without an answer, that land late, or are refused. It
 * outlives every process. A payment is keyed by its effect's token; asking for a payment that has
 * not landed voids it, as the end of an authorization would.
 */
export class Chain {
  readonly #seed: number;
  readonly #clock: SimClock;
  readonly #faults: Faults;
  readonly #entries = new Map<string, Entry>();
  #attempts: Attempts | undefined;
  #calls = 0;

  constructor(seed: number, clock: SimClock, faults: Faults) {
    this.#seed = seed;
    this.#clock = clock;
    this.#faults = faults;
  }

  /** Says who watches over attempts. */
  watchedBy(attempts: Attempts): void {
    this.#attempts = attempts;
  }

  /** What the books say about a payment. */
  stateOf(key: string): 'none' | 'void' | 'paid' | 'refunded' {
    return this.#entries.get(key)?.state ?? 'none';
  }

  /** The effects of a payer. */
  effects(): Readonly<Record<string, Effect<{ readonly key: string }>>> {
    const via = (src: string, work: (key: string, token: string) => Promise<unknown>) => ({
      run: (input: { readonly key: string }, context: EffectContext) =>
        this.#watched().attempt(src, input, context, () => work(input.key, context.token)),
      attempts: ATTEMPTS[src] as number,
      timeoutMs: 20_000,
    });
    return {
      pay: via('pay', (key, token) => this.#pay(key, token)),
      look: via('look', (key) => this.#look(key)),
      refund: via('refund', (key) => this.#refund(key)),
    };
  }

  #watched(): Attempts {
    if (this.#attempts === undefined) throw new Error('nobody watches over the chain');
    return this.#attempts;
  }

  async #pay(key: string, token: string): Promise<unknown> {
    const chance = this.#chance('pay', key);
    switch (chance.weighted({ ok: 6, lost: 3, late: 2, dropped: 2, mute: 1 })) {
      case 'ok':
        return this.#land(key, token);
      case 'lost':
        this.#land(key, token);
        throw new Error('the answer was lost');
      case 'late':
        this.#later(chance.between(1, LANDS_LATE_MS), () => this.#land(key, token));
        return await new Promise(() => undefined);
      case 'dropped':
        throw new Error('the payment was not sent');
      case 'mute':
        return await new Promise(() => undefined);
    }
  }

  async #look(key: string): Promise<unknown> {
    const chance = this.#chance('look', key);
    if (chance.isTrue(0.3)) throw new Error('the chain does not answer');
    const entry = this.#entry(key);
    if (entry.state === 'none') entry.state = 'void';
    const paid = entry.state !== 'void';
    if (chance.isTrue(0.2)) throw new Error('the answer was lost');
    return { paid };
  }

  async #refund(key: string): Promise<unknown> {
    const chance = this.#chance('refund', key);
    if (chance.isTrue(0.2)) throw new Error('the refund was not sent');
    const entry = this.#entry(key);
    this.#faults.check(
      entry.state === 'paid' || entry.state === 'refunded',
      'a refund is for a paid payment',
      () => ({ key, state: entry.state }),
    );
    if (entry.state === 'paid') entry.state = 'refunded';
    if (chance.isTrue(0.2)) throw new Error('the answer was lost');
    return { refunded: true };
  }

  #land(key: string, token: string): { readonly receipt: string; readonly paid: boolean } {
    const entry = this.#entry(key);
    const known = entry.tokens.size === 0 || entry.tokens.has(token);
    this.#faults.check(known, 'one payment keeps one token', () => ({
      key,
      token,
      tokens: [...entry.tokens],
    }));
    if (entry.state === 'void') throw new Error('the authorization is void');
    entry.tokens.add(token);
    if (entry.state === 'none') entry.state = 'paid';
    return { receipt: key, paid: true };
  }

  #later(ms: number, run: () => void): void {
    this.#clock.at(this.#clock.now() + ms, () => {
      try {
        run();
      } catch {
        // Nobody waits any more for what a late payment has to say.
      }
    });
  }

  #entry(key: string): Entry {
    const entry = this.#entries.get(key) ?? { state: 'none', tokens: new Set<string>() };
    this.#entries.set(key, entry);
    return entry;
  }

  #chance(...labels: readonly string[]): Chance {
    this.#calls += 1;
    return new SeededChance(this.#seed, 'chain', ...labels, this.#calls);
  }
}

interface Entry {
  state: 'none' | 'void' | 'paid' | 'refunded';
  readonly tokens: Set<string>;
}
