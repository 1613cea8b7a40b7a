import { raise } from 'xstate';
import { machineOf, type Numbers, num, oneCaller, type System, set, when } from './system.ts';

const LEASE_MS = 1_000;
const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;
/** The longest delay of a timer in Node.js. */
const TIMER_MAX_MS = 2_147_483_647;

/** Small systems with timers and one caller at a time. */
export const TIMED: readonly System[] = [
  oneCaller('a timer goes on after its order was cancelled', {
    machine: machineOf({
      id: 'offer',
      initial: 'waiting',
      states: {
        waiting: { on: { CANCEL: 'cancelled' }, after: { 1000: 'expired' } },
        cancelled: { on: { REOPEN: 'waiting' } },
        expired: {},
      },
    }),
    program: (isFaulty, timers) => {
      let state = '';
      const wait = (): void => {
        state = 'waiting';
        timers.set('expiry', LEASE_MS, () => {
          state = 'expired';
        });
      };
      wait();
      return {
        on: {
          CANCEL: () => {
            if (state !== 'waiting') return;
            state = 'cancelled';
            if (!isFaulty) timers.cancel('expiry');
          },
          REOPEN: () => {
            if (state === 'cancelled') wait();
          },
        },
        look: () => ({ value: state }),
      };
    },
  }),
  oneCaller('a lease is not restarted by a renewal', {
    machine: machineOf({
      id: 'lease',
      initial: 'held',
      states: {
        held: { on: { RENEW: { target: 'held', reenter: true } }, after: { 1000: 'lost' } },
        lost: { on: { TAKE: 'held' } },
      },
    }),
    program: (isFaulty, timers) => {
      let state = '';
      const hold = (): void => {
        state = 'held';
        timers.set('lease', LEASE_MS, () => {
          state = 'lost';
        });
      };
      hold();
      return {
        on: {
          RENEW: () => {
            if (state === 'held' && !isFaulty) hold();
          },
          TAKE: () => {
            if (state === 'lost') hold();
          },
        },
        look: () => ({ value: state }),
      };
    },
  }),
  oneCaller('a lock is held for ever after a crash', {
    machine: machineOf({
      id: 'lock',
      initial: 'free',
      states: { free: { on: { LOCK: 'locked' } }, locked: { after: { 1000: 'free' } } },
    }),
    program: (isFaulty, timers) => {
      let state = 'free';
      return {
        on: {
          LOCK: () => {
            if (state === 'locked') return;
            state = 'locked';
            timers.set('lease', LEASE_MS, () => {
              state = 'free';
            });
          },
        },
        restart: () => {
          if (isFaulty) timers.clear();
        },
        look: () => ({ value: state }),
      };
    },
  }),
  oneCaller('an offer expires 1 ms late', {
    machine: machineOf({
      id: 'expiry',
      initial: 'open',
      states: { open: { after: { 1000: 'expired' } }, expired: { on: { RENEW: 'open' } } },
    }),
    program: (isFaulty, timers) => {
      let openedAt = 0;
      const isExpired = (): boolean => timers.now - openedAt >= LEASE_MS + (isFaulty ? 1 : 0);
      return {
        on: {
          RENEW: () => {
            if (isExpired()) openedAt = timers.now;
          },
        },
        look: () => ({ value: isExpired() ? 'expired' : 'open' }),
      };
    },
  }),
  // Node.js, documentation of setTimeout: a delay over 2147483647 ms becomes 1 ms.
  oneCaller('a delay of a month fires at once', {
    isPublished: true,
    machine: machineOf({
      id: 'month',
      initial: 'idle',
      states: {
        idle: { on: { START: 'waiting' } },
        waiting: { on: { STOP: 'idle' }, after: { [MONTH_MS]: 'idle' } },
      },
    }),
    program: (isFaulty, timers) => {
      let state = 'idle';
      return {
        on: {
          START: () => {
            if (state !== 'idle') return;
            state = 'waiting';
            timers.set('month', isFaulty && MONTH_MS > TIMER_MAX_MS ? 1 : MONTH_MS, () => {
              state = 'idle';
            });
          },
          STOP: () => {
            if (state === 'waiting') timers.cancel('month');
            state = 'idle';
          },
        },
        look: () => ({ value: state }),
      };
    },
  }),
  // Amazon SQS, documentation of the visibility timeout: an old receipt deletes nothing.
  oneCaller('an old receipt ends the work of another consumer', {
    isPublished: true,
    machine: machineOf({
      id: 'queue',
      context: { receipt: 0 },
      initial: 'visible',
      states: {
        visible: {
          on: {
            TAKE: { target: 'taken', actions: set((c) => ({ receipt: num(c, 'receipt') + 1 })) },
          },
        },
        taken: {
          on: {
            DELETE: {
              guard: when((c, e) => num(e, 'receipt') === num(c, 'receipt')),
              target: 'done',
            },
          },
          after: { 1000: 'visible' },
        },
        done: {},
      },
    }),
    events: { DELETE: [{ receipt: 1 }, { receipt: 2 }] },
    program: (isFaulty, timers) => {
      let [state, receipt] = ['visible', 0];
      return {
        on: {
          TAKE: () => {
            if (state !== 'visible') return;
            state = 'taken';
            receipt += 1;
            timers.set('visibility', LEASE_MS, () => {
              state = 'visible';
            });
          },
          DELETE: (event) => {
            const mine = num(event, 'receipt');
            if (state !== 'taken' || (isFaulty ? mine > receipt : mine !== receipt)) return;
            state = 'done';
            timers.cancel('visibility');
          },
        },
        look: () => ({ value: state, facets: { receipt } }),
      };
    },
  }),
  // Celery, documentation of Redis: a task due after the visibility timeout runs more than once.
  oneCaller('a task for later is delivered again while it waits', {
    isPublished: true,
    machine: machineOf({
      id: 'eta',
      context: { runs: 0 },
      initial: 'idle',
      states: {
        idle: { on: { PLAN: 'planned' } },
        planned: {
          after: {
            [2 * HOUR_MS]: { target: 'idle', actions: set((c) => ({ runs: num(c, 'runs') + 1 })) },
          },
        },
      },
    }),
    program: (isFaulty, timers) => {
      let [state, runs, copies] = ['idle', 0, 0];
      return {
        on: {
          PLAN: () => {
            if (state !== 'idle') return;
            [state, copies] = ['planned', 1];
            timers.set('visibility', HOUR_MS, () => {
              if (isFaulty) copies += 1;
            });
            timers.set('eta', 2 * HOUR_MS, () => {
              state = 'idle';
              runs += copies;
            });
          },
        },
        look: () => ({ value: state, facets: { runs } }),
      };
    },
  }),
  oneCaller('two timers of one instant fire in the order of their names', {
    machine: machineOf({
      id: 'instant',
      context: { log: 0, pending: 0 },
      on: {
        PLAN: {
          guard: when((c) => num(c, 'pending') === 0),
          actions: [
            set(() => ({ pending: 2 })),
            raise({ type: 'Z' }, { delay: 500, id: 'z' }),
            raise({ type: 'A' }, { delay: 500, id: 'a' }),
          ],
        },
        Z: { actions: set((c) => note(c, 2)) },
        A: { actions: set((c) => note(c, 1)) },
      },
    }),
    events: { Z: [], A: [] },
    program: (isFaulty, timers) => {
      let state: Numbers = { log: 0, pending: 0 };
      const fire = (digit: number) => (): void => {
        state = note(state, digit);
      };
      return {
        on: {
          PLAN: () => {
            if (num(state, 'pending') > 0) return;
            state = { ...state, pending: 2 };
            if (isFaulty) timers.set('a', 500, fire(1));
            timers.set('z', 500, fire(2));
            if (!isFaulty) timers.set('a', 500, fire(1));
          },
        },
        look: () => ({ value: {}, facets: state }),
      };
    },
  }),
  oneCaller('of several reminders only the last one comes', {
    machine: machineOf({
      id: 'reminders',
      context: { booked: 0, sent: 0 },
      on: {
        BOOK: {
          guard: when((c) => num(c, 'booked') < 3),
          actions: [
            set((c) => ({ booked: num(c, 'booked') + 1 })),
            raise({ type: 'REMIND' }, { delay: 300 }),
          ],
        },
        REMIND: { actions: set((c) => ({ sent: num(c, 'sent') + 1 })) },
      },
    }),
    events: { REMIND: [] },
    program: (isFaulty, timers) => {
      let [booked, sent] = [0, 0];
      return {
        on: {
          BOOK: () => {
            if (booked >= 3) return;
            booked += 1;
            timers.set(isFaulty ? 'remind' : `remind-${booked}`, 300, () => {
              sent += 1;
            });
          },
        },
        look: () => ({ value: {}, facets: { booked, sent } }),
      };
    },
  }),
  oneCaller('every request makes the window of a rate limit longer', {
    machine: machineOf({
      id: 'limit',
      context: { used: 0 },
      initial: 'free',
      states: {
        free: { on: { USE: { target: 'counting', actions: set(() => ({ used: 1 })) } } },
        counting: {
          on: {
            USE: {
              guard: when((c) => num(c, 'used') < 3),
              actions: set((c) => ({ used: num(c, 'used') + 1 })),
            },
          },
          after: { 1000: { target: 'free', actions: set(() => ({ used: 0 })) } },
        },
      },
    }),
    program: (isFaulty, timers) => {
      let [state, used] = ['free', 0];
      const reset = (): void => {
        [state, used] = ['free', 0];
      };
      return {
        on: {
          USE: () => {
            if (used >= 3) return;
            used += 1;
            if (state === 'free' || isFaulty) timers.set('window', LEASE_MS, reset);
            state = 'counting';
          },
        },
        look: () => ({ value: state, facets: { used } }),
      };
    },
  }),
];

function note(context: Numbers, digit: number): Numbers {
  const log = (num(context, 'log') * 10 + digit) % 1_000;
  return { log, pending: num(context, 'pending') - 1 };
}
