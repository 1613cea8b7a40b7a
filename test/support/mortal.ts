import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import type { EngineStore } from '../../src/runtime/engine/ports.ts';

/** Where a process dies: at its n-th commit or chain call, before or after it has happened. */
export interface Death {
  readonly at: number;
  readonly when: 'before' | 'after';
}

/**
 * One life of a process: what goes through it works until death, and hangs for ever afterwards, as
 * for a process that is gone. What had happened before has happened.
 */
export class Life {
  readonly #death: Death | undefined;
  #steps = 0;
  #isOver = false;
  #end: () => void = () => undefined;
  /** Resolves when the process dies. */
  readonly over: Promise<void>;

  constructor(death?: Death) {
    this.#death = death;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get steps(): number {
    return this.#steps;
  }

  die(): void {
    this.#isOver = true;
    this.#end();
  }

  async step<T>(act: () => Promise<T>): Promise<T> {
    if (this.#isOver) return hang();
    this.#steps += 1;
    const dies = this.#death?.at === this.#steps ? this.#death.when : undefined;
    if (dies === 'before') this.die();
    if (dies === 'before') return hang();
    const done = await act();
    if (dies === 'after') this.die();
    return this.#isOver ? hang() : done;
  }
}

/** A store that only a living process writes to. */
export function mortalStore(store: EngineStore, life: Life): EngineStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'commit') return member.bind(target);
      return (writes: never) => life.step(() => store.commit(writes));
    },
  });
}

/** A chain that only a living process speaks to. */
export function mortalChain<Chain extends PaymentChain>(chain: Chain, life: Life): PaymentChain {
  return {
    ...chain,
    checkOnChain: (payload) => life.step(() => chain.checkOnChain(payload)),
    settle: (payload) => life.step(() => chain.settle(payload)),
    queryOutcome: (payload) => life.step(() => chain.queryOutcome(payload)),
    transfer: (order) => life.step(() => chain.transfer(order)),
  };
}

function hang<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
