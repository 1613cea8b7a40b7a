import type { ModelAnswer } from '../../../src/testing/concurrency/linearize.ts';
import { machineOf, manyCallers, type Numbers, num, type System, set, when } from './system.ts';

/** Small servers that several clients call at once. */
export const SHARED: readonly System[] = [
  manyCallers('an update of a counter is lost', {
    machine: counter('counter'),
    answer: readContext('n'),
    server: (isFaulty, pause) => {
      const answers = new Map<string, number>();
      let n = 0;
      return {
        send: async (_event, key) => {
          await pause();
          const before = n;
          if (isFaulty) await pause();
          return answerOnce(answers, key, () => {
            n = (isFaulty ? before : n) + 1;
            return n;
          });
        },
        read: async () => ({ value: {}, facets: { n } }),
      };
    },
  }),
  // Apache Cassandra, documentation of counters: after a timeout a repeated update counts twice.
  manyCallers('a counter counts a repeated update twice', {
    isPublished: true,
    machine: counter('repeated-counter'),
    answer: readContext('n'),
    server: (isFaulty, pause) => {
      const answers = new Map<string, number>();
      let n = 0;
      const add = (): number => {
        n += 1;
        return n;
      };
      return {
        send: async (_event, key) => {
          await pause();
          return isFaulty ? add() : answerOnce(answers, key, add);
        },
        read: async () => ({ value: {}, facets: { n } }),
      };
    },
  }),
  // Flexcoin, March 2014: many transfers at once overdrew an account before the balance changed.
  manyCallers('an account is overdrawn by transfers at once', {
    isPublished: true,
    machine: machineOf({
      id: 'overdraft',
      context: { balance: 2 },
      on: {
        TAKE: {
          guard: when((c) => num(c, 'balance') > 0),
          actions: set((c) => ({ balance: num(c, 'balance') - 1 })),
        },
        PUT: { actions: set((c) => ({ balance: num(c, 'balance') + 1 })) },
      },
    }),
    answer: isTaken,
    server: (isFaulty, pause) => {
      const answers = new Map<string, boolean>();
      let balance = 2;
      return {
        send: async ({ type }, key) => {
          await pause();
          const isCovered = balance > 0;
          if (isFaulty) await pause();
          return answerOnce(answers, key, () => {
            if (type === 'PUT') balance += 1;
            else if (isFaulty ? isCovered : balance > 0) balance -= 1;
            else return false;
            return true;
          });
        },
        read: async () => ({ value: {}, facets: { balance } }),
      };
    },
  }),
  // E. Homakov, Starbucks gift cards, 2015: two transfers at once made money.
  manyCallers('two transfers between cards make money', {
    isPublished: true,
    machine: machineOf({
      id: 'cards',
      context: { one: 5, other: 5 },
      on: {
        MOVE: {
          guard: when((c) => num(c, 'one') > 0),
          actions: set((c) => ({ one: num(c, 'one') - 1, other: num(c, 'other') + 1 })),
        },
        BACK: {
          guard: when((c) => num(c, 'other') > 0),
          actions: set((c) => ({ one: num(c, 'one') + 1, other: num(c, 'other') - 1 })),
        },
      },
    }),
    answer: isTaken,
    server: (isFaulty, pause) => {
      const answers = new Map<string, boolean>();
      let cards = { one: 5, other: 5 };
      return {
        send: async ({ type }, key) => {
          await pause();
          const before = cards;
          if (isFaulty) await pause();
          return answerOnce(answers, key, () => {
            const { one, other } = isFaulty ? before : cards;
            const amount = type === 'MOVE' ? 1 : -1;
            if (one < amount || other < -amount) return false;
            cards = { one: one - amount, other: other + amount };
            return true;
          });
        },
        read: async () => ({ value: {}, facets: cards }),
      };
    },
  }),
  // T. Warszawski and P. Bailis, ACIDRain, 2017: one voucher is used by several requests at once.
  manyCallers('a voucher is used twice', {
    isPublished: true,
    machine: machineOf({
      id: 'voucher',
      context: { discounts: 0 },
      initial: 'free',
      states: {
        free: {
          on: {
            USE: {
              target: 'used',
              actions: set((c) => ({ discounts: num(c, 'discounts') + 1 })),
            },
          },
        },
        used: {},
      },
    }),
    answer: isTaken,
    server: (isFaulty, pause) => {
      const answers = new Map<string, boolean>();
      let [isUsed, discounts] = [false, 0];
      return {
        send: async (_event, key) => {
          await pause();
          const wasUsed = isUsed;
          if (isFaulty) await pause();
          return answerOnce(answers, key, () => {
            if (isFaulty ? wasUsed : isUsed) return false;
            isUsed = true;
            discounts += 1;
            return true;
          });
        },
        read: async () => ({ value: isUsed ? 'used' : 'free', facets: { discounts } }),
      };
    },
  }),
  // Jepsen, MongoDB stale reads, April 2015: a read did not see an acknowledged write.
  manyCallers('a read from a replica that lags behind', {
    isPublished: true,
    machine: counter('replica'),
    server: (isFaulty, pause) => {
      const answers = new Map<string, number>();
      let [primary, replica] = [0, 0];
      const replicate = async (): Promise<void> => {
        await pause();
        replica = primary;
      };
      return {
        send: async (_event, key) => {
          await pause();
          return answerOnce(answers, key, () => {
            primary += 1;
            void replicate();
            return primary;
          });
        },
        read: async () => ({ value: {}, facets: { n: isFaulty ? replica : primary } }),
      };
    },
  }),
  manyCallers('a client does not read its own write from a cache', {
    machine: counter('cache'),
    server: (isFaulty, pause) => {
      const answers = new Map<string, number>();
      let n = 0;
      let cached: number | undefined;
      const forget = async (): Promise<void> => {
        if (isFaulty) await pause();
        cached = undefined;
      };
      return {
        send: async (_event, key) => {
          await pause();
          return answerOnce(answers, key, () => {
            n += 1;
            void forget();
            return n;
          });
        },
        read: async () => {
          cached ??= n;
          return { value: {}, facets: { n: cached } };
        },
        restart: () => {
          cached = undefined;
        },
      };
    },
  }),
  manyCallers('two deliveries with one key at once are both charged', {
    machine: counter('charge'),
    answer: readContext('n'),
    server: (isFaulty, pause) => {
      const answers = new Map<string, number>();
      let n = 0;
      const charge = (): number => {
        n += 1;
        return n;
      };
      return {
        send: async (_event, key) => {
          const known = answers.get(key);
          if (known !== undefined) return known;
          await pause();
          if (!isFaulty) return answerOnce(answers, key, charge);
          answers.set(key, charge());
          return answers.get(key);
        },
        read: async () => ({ value: {}, facets: { n } }),
      };
    },
  }),
  manyCallers('a job is both cancelled and completed', {
    machine: machineOf({
      id: 'job',
      context: { refunds: 0, payouts: 0 },
      initial: 'open',
      states: {
        open: {
          on: {
            CANCEL: { target: 'over', actions: set(() => ({ refunds: 1 })) },
            COMPLETE: { target: 'over', actions: set(() => ({ payouts: 1 })) },
          },
        },
        over: {},
      },
    }),
    answer: isTaken,
    server: (isFaulty, pause) => {
      const answers = new Map<string, boolean>();
      const sums = { refunds: 0, payouts: 0 };
      let state = 'open';
      return {
        send: async ({ type }, key) => {
          await pause();
          const before = state;
          if (isFaulty) await pause();
          return answerOnce(answers, key, () => {
            if ((isFaulty ? before : state) !== 'open') return false;
            state = 'over';
            sums[type === 'CANCEL' ? 'refunds' : 'payouts'] += 1;
            return true;
          });
        },
        read: async () => ({ value: state, facets: { ...sums } }),
      };
    },
  }),
  manyCallers('an answer before the write is lost by a crash', {
    machine: counter('write-behind'),
    server: (isFaulty, pause) => {
      let disk = { n: 0, keys: new Set<string>() };
      let memory = disk;
      const write = async (): Promise<void> => {
        await pause();
        disk = memory;
      };
      return {
        send: async (_event, key) => {
          await pause();
          if (memory.keys.has(key)) return 'ok';
          memory = { n: memory.n + 1, keys: new Set([...memory.keys, key]) };
          if (isFaulty) void write();
          else disk = memory;
          return 'ok';
        },
        read: async () => ({ value: {}, facets: { n: memory.n } }),
        restart: () => {
          memory = disk;
        },
      };
    },
  }),
  // Jepsen, etcd 3.4.3, 2020: two clients held one lock at the same time.
  manyCallers('two clients hold one lock', {
    isPublished: true,
    machine: machineOf({
      id: 'shared-lock',
      context: { holder: 0 },
      on: {
        LOCK: {
          guard: when((c) => num(c, 'holder') === 0),
          actions: set((_, e) => ({ holder: num(e, 'by') })),
        },
        UNLOCK: {
          guard: when((c, e) => num(c, 'holder') === num(e, 'by')),
          actions: set(() => ({ holder: 0 })),
        },
      },
    }),
    events: { LOCK: [{ by: 1 }, { by: 2 }], UNLOCK: [{ by: 1 }, { by: 2 }] },
    answer: isTaken,
    server: (isFaulty, pause) => {
      const answers = new Map<string, boolean>();
      let holder = 0;
      return {
        send: async ({ type, by = 0 }, key) => {
          await pause();
          const before = holder;
          if (isFaulty) await pause();
          return answerOnce(answers, key, () => {
            const seen = isFaulty ? before : holder;
            if (seen !== (type === 'LOCK' ? 0 : by)) return false;
            holder = type === 'LOCK' ? Number(by) : 0;
            return true;
          });
        },
        read: async () => ({ value: {}, facets: { holder } }),
      };
    },
  }),
];

function counter(id: string) {
  return machineOf({
    id,
    context: { n: 0 },
    on: { ADD: { actions: set((c) => ({ n: num(c, 'n') + 1 })) } },
  });
}

function readContext(name: string): (answer: ModelAnswer) => number {
  return ({ after }) => num(after.context as Numbers, name);
}

function isTaken(answer: ModelAnswer): boolean {
  return answer.isTaken;
}

/** Does the work of a key once; a repeat gets the first answer. */
function answerOnce<T>(answers: Map<string, T>, key: string, work: () => T): T {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = work();
  answers.set(key, answer);
  return answer;
}
