import { machineOf, num, oneCaller, type System, set, when } from './system.ts';

/** Small payment servers with one caller at a time. */
export const PAYMENTS: readonly System[] = [
  // Mt. Gox, statement of 10 February 2014: payouts whose id was not found were paid again.
  oneCaller('a payout with an unknown outcome is paid again', {
    isPublished: true,
    machine: machineOf({
      id: 'payout',
      context: { transfers: 0 },
      initial: 'idle',
      states: {
        idle: {
          on: {
            PAY: {
              target: 'sending',
              actions: set((c) => ({ transfers: num(c, 'transfers') + 1 })),
            },
          },
        },
        sending: { on: { TIMEOUT: 'unknown', CONFIRM: 'paid' } },
        unknown: { on: { RETRY: 'sending', CONFIRM: 'paid' } },
        paid: { type: 'final' },
      },
    }),
    program: (isFaulty) => {
      let [state, transfers] = ['idle', 0];
      const go = (from: readonly string[], to: string): boolean => {
        if (!from.includes(state)) return false;
        state = to;
        return true;
      };
      return {
        on: {
          PAY: () => {
            if (go(['idle'], 'sending')) transfers += 1;
          },
          TIMEOUT: () => go(['sending'], 'unknown'),
          RETRY: () => {
            if (go(['unknown'], 'sending') && isFaulty) transfers += 1;
          },
          CONFIRM: () => go(['sending', 'unknown'], 'paid'),
        },
        look: () => ({ value: state, isOver: state === 'paid', facets: { transfers } }),
      };
    },
  }),
  oneCaller('a refund after the settlement', {
    machine: machineOf({
      id: 'refund',
      initial: 'paid',
      states: {
        paid: { on: { REFUND: 'refunded', SETTLE: 'settled' } },
        refunded: {},
        settled: { on: { REOPEN: 'paid' } },
      },
    }),
    program: (isFaulty) => {
      let state = 'paid';
      return {
        on: {
          REFUND: () => {
            if (state === 'paid' || (isFaulty && state === 'settled')) state = 'refunded';
          },
          SETTLE: () => {
            if (state === 'paid') state = 'settled';
          },
          REOPEN: () => {
            if (state === 'settled') state = 'paid';
          },
        },
        look: () => ({ value: state }),
      };
    },
  }),
  // Stripe, documentation of webhooks: an endpoint can receive the same event more than once.
  oneCaller('a webhook delivered twice is booked twice', {
    isPublished: true,
    machine: machineOf({
      id: 'webhook',
      context: { total: 0 },
      on: { PAID: { actions: set((c, e) => ({ total: num(c, 'total') + num(e, 'amount') })) } },
    }),
    events: { PAID: [{ amount: 5 }, { amount: 7 }] },
    program: (isFaulty) => {
      const keys = new Set<string>();
      let total = 0;
      return {
        isKeyed: true,
        on: {
          PAID: ({ amount = 0 }, key) => {
            if (!isFaulty && keys.has(key)) return;
            keys.add(key);
            total += amount;
          },
        },
        look: () => ({ value: {}, facets: { total } }),
      };
    },
  }),
  // Stripe, documentation of webhooks: the order of events is not guaranteed.
  oneCaller('an old webhook overwrites a newer one', {
    isPublished: true,
    machine: machineOf({
      id: 'versions',
      context: { version: 0 },
      on: {
        UPDATE: {
          guard: when((c, e) => num(e, 'version') > num(c, 'version')),
          actions: set((_, e) => ({ version: num(e, 'version') })),
        },
      },
    }),
    events: { UPDATE: [{ version: 1 }, { version: 2 }, { version: 3 }] },
    program: (isFaulty) => {
      let version = 0;
      return {
        on: {
          UPDATE: (event) => {
            if (isFaulty || num(event, 'version') > version) version = num(event, 'version');
          },
        },
        look: () => ({ value: {}, facets: { version } }),
      };
    },
  }),
  // Stripe, API reference: a key used again with other parameters is an error.
  oneCaller('a key with another payload is answered as the first', {
    isPublished: true,
    machine: machineOf({
      id: 'keys',
      context: { paid: 0, refused: 0 },
      on: {
        PAY: [
          {
            guard: when((c) => num(c, 'paid') === 0),
            actions: set((_, e) => ({ paid: num(e, 'amount') })),
          },
          {
            guard: when((c, e) => num(c, 'paid') !== num(e, 'amount')),
            actions: set((c) => ({ refused: Math.min(3, num(c, 'refused') + 1) })),
          },
        ],
      },
    }),
    events: { PAY: [{ amount: 5 }, { amount: 7 }] },
    program: (isFaulty) => {
      let [paid, refused] = [0, 0];
      return {
        on: {
          PAY: ({ amount = 0 }) => {
            if (paid === 0) paid = amount;
            else if (paid !== amount && !isFaulty) refused = Math.min(3, refused + 1);
          },
        },
        look: () => ({ value: {}, facets: { paid, refused } }),
      };
    },
  }),
  oneCaller('an escrow pays whenever it is released, also after an audit', {
    machine: machineOf({
      id: 'escrow',
      context: { paid: 0 },
      initial: 'held',
      states: {
        held: { on: { RELEASE: { target: 'released', actions: set(() => ({ paid: 1 })) } } },
        released: { on: { AUDIT: 'audited' } },
        audited: { on: { CLOSE_AUDIT: 'released' } },
      },
    }),
    program: (isFaulty) => {
      let [state, paid] = ['held', 0];
      return {
        on: {
          RELEASE: () => {
            if (state !== 'held') return;
            state = 'released';
            paid += 1;
          },
          AUDIT: () => {
            if (state === 'released') state = 'audited';
          },
          CLOSE_AUDIT: () => {
            if (state !== 'audited') return;
            state = 'released';
            if (isFaulty) paid += 1;
          },
        },
        look: () => ({ value: state, facets: { paid } }),
      };
    },
  }),
  oneCaller('partial refunds exceed the payment', {
    machine: machineOf({
      id: 'partial',
      context: { refunded: 0 },
      on: {
        REFUND: {
          guard: when((c, e) => num(c, 'refunded') + num(e, 'amount') <= 10),
          actions: set((c, e) => ({ refunded: num(c, 'refunded') + num(e, 'amount') })),
        },
      },
    }),
    events: { REFUND: [{ amount: 3 }, { amount: 4 }] },
    program: (isFaulty) => {
      let refunded = 0;
      return {
        on: {
          REFUND: ({ amount = 0 }) => {
            if ((isFaulty ? amount : refunded + amount) <= 10) refunded += amount;
          },
        },
        look: () => ({ value: {}, facets: { refunded } }),
      };
    },
  }),
  // The DAO, June 2016: a recipient called again before the balance was set to zero.
  oneCaller('a withdrawal inside a withdrawal', {
    isPublished: true,
    machine: machineOf({
      id: 'dao',
      context: { balance: 0, paid: 0 },
      on: {
        PUT: { actions: set((c) => ({ balance: num(c, 'balance') + 1 })) },
        WITHDRAW: {
          actions: set((c) => ({ balance: 0, paid: num(c, 'paid') + num(c, 'balance') })),
        },
      },
    }),
    events: { WITHDRAW: [{ again: 0 }, { again: 1 }] },
    program: (isFaulty) => {
      let [balance, paid] = [0, 0];
      const withdraw = (again: number): void => {
        const amount = balance;
        if (!isFaulty) balance = 0;
        paid += amount;
        if (again > 0) withdraw(again - 1);
        balance = 0;
      };
      return {
        on: {
          PUT: () => {
            balance += 1;
          },
          WITHDRAW: ({ again = 0 }) => withdraw(again),
        },
        look: () => ({ value: {}, facets: { balance, paid } }),
      };
    },
  }),
  // Parity multi-signature wallet, July 2017: anyone could initialize a wallet again.
  oneCaller('a wallet is initialized again by another owner', {
    isPublished: true,
    machine: machineOf({
      id: 'wallet',
      context: { owner: 0 },
      on: {
        INIT: {
          guard: when((c) => num(c, 'owner') === 0),
          actions: set((_, e) => ({ owner: num(e, 'by') })),
        },
      },
    }),
    events: { INIT: [{ by: 1 }, { by: 2 }] },
    program: (isFaulty) => {
      let owner = 0;
      return {
        on: {
          INIT: ({ by = 0 }) => {
            if (isFaulty || owner === 0) owner = by;
          },
        },
        look: () => ({ value: {}, facets: { owner } }),
      };
    },
  }),
  oneCaller('a subscription is charged once more after it was cancelled', {
    machine: machineOf({
      id: 'subscription',
      context: { charges: 1, cancelled: 0 },
      initial: 'active',
      states: {
        active: {
          on: { CANCEL: { actions: set(() => ({ cancelled: 1 })) } },
          after: {
            1000: [
              { guard: when((c) => num(c, 'cancelled') === 1), target: 'ended' },
              {
                target: 'active',
                reenter: true,
                actions: set((c) => ({ charges: num(c, 'charges') + 1 })),
              },
            ],
          },
        },
        ended: {},
      },
    }),
    program: (isFaulty, timers) => {
      let [state, charges, cancelled] = ['active', 1, 0];
      const renew = (): void => {
        if (cancelled === 0 || isFaulty) charges += 1;
        if (cancelled === 1) state = 'ended';
        else timers.set('renew', 1_000, renew);
      };
      timers.set('renew', 1_000, renew);
      return {
        on: {
          CANCEL: () => {
            if (state === 'active') cancelled = 1;
          },
        },
        look: () => ({ value: state, facets: { charges, cancelled } }),
      };
    },
  }),
  oneCaller('a closed account is paid', {
    machine: machineOf({
      id: 'closed-account',
      context: { paid: 0 },
      initial: 'open',
      states: {
        open: {
          on: { PAY: { actions: set((c) => ({ paid: num(c, 'paid') + 1 })) }, CLOSE: 'closed' },
        },
        closed: { type: 'final' },
      },
    }),
    program: (isFaulty) => {
      let [state, paid] = ['open', 0];
      return {
        on: {
          PAY: () => {
            if (state === 'open' || isFaulty) paid += 1;
          },
          CLOSE: () => {
            state = 'closed';
          },
        },
        look: () => ({ value: state, isOver: state === 'closed', facets: { paid } }),
      };
    },
  }),
];
