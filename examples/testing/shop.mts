// A shop that was written by hand, and a driver that plays paths on it.
import type { Driver } from '@stoa/runtime/testing';

/** An order as somebody wrote it by hand; it waits to refund again, and then does not. */
class Shop {
  state = 'paying';
  gifts = 0;
  effects = new Set(['pay']);

  enter(state: string, effect?: string): void {
    this.state = state;
    this.effects.clear();
    if (effect !== undefined) this.effects.add(effect);
  }

  cancel(): void {
    if (this.state === 'paying') this.enter('cancelled');
  }

  give(count: number): void {
    if (this.state === 'paying' && count <= 3) this.gifts = count;
  }

  timePasses(): void {
    if (this.state === 'paying') this.enter('cancelled');
    else if (this.state === 'refund_due') this.enter('refunding');
  }

  ended(effect: string, isGood: boolean): void {
    if (effect === 'pay' && isGood) this.enter('delivering', 'deliver');
    else if (effect === 'pay') this.enter('declined');
    else if (isGood) this.enter(effect === 'deliver' ? 'delivered' : 'refunded');
    else if (effect === 'deliver') this.enter('refunding', 'refund');
    else this.enter('refund_due');
  }
}

// [guide driver
/** Runs paths on a shop and reports its observable state in the terms of the model. */
export function shopDriver(): Driver {
  const shop = new Shop();
  const ends = ['delivered', 'refunded', 'declined', 'cancelled'];
  return {
    start: async () => undefined,
    send: async ({ type, count }) => (type === 'CANCEL' ? shop.cancel() : shop.give(Number(count))),
    elapse: async () => shop.timePasses(),
    settle: async ({ src }, { ok }) => shop.ended(src, ok),
    observe: async () => ({
      value: shop.state,
      status: ends.includes(shop.state) ? 'done' : 'active',
      effects: [...shop.effects],
      facets: { gifts: shop.gifts },
    }),
    close: async () => undefined,
  };
}
// guide]
