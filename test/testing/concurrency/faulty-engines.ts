import { assign, setup } from 'xstate';
import type { EngineOptions } from '../../../src/runtime/engine/engine.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { EngineStore, Write } from '../../../src/runtime/engine/ports.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import type { ConcurrentDriver } from '../../../src/testing/concurrency/concurrent-driver.ts';
import { concurrentEngineDriver } from '../../../src/testing/concurrency/engine-clients.ts';

/** An account: no more is taken than is there, and nothing after it is closed. */
export const accountMachine = setup({
  types: {} as {
    context: { balance: number; moves: number };
    events: { type: 'PUT'; amount: number } | { type: 'TAKE'; amount: number } | { type: 'CLOSE' };
  },
  guards: {
    isCovered: ({ context, event }) => event.type === 'TAKE' && context.balance >= event.amount,
    isEmpty: ({ context }) => context.balance === 0,
  },
  actions: {
    put: assign(({ context, event }) => ({
      balance: context.balance + ('amount' in event ? event.amount : 0),
      moves: context.moves + 1,
    })),
    take: assign(({ context, event }) => ({
      balance: context.balance - ('amount' in event ? event.amount : 0),
      moves: context.moves + 1,
    })),
  },
}).createMachine({
  id: 'account',
  context: { balance: 0, moves: 0 },
  initial: 'open',
  states: {
    open: {
      on: {
        PUT: { actions: 'put' },
        TAKE: { guard: 'isCovered', actions: 'take' },
        CLOSE: { guard: 'isEmpty', target: 'closed' },
      },
    },
    closed: { type: 'final' },
  },
});

/** Events of an account. */
export const accountEvents = {
  PUT: [{ amount: 1 }, { amount: 2 }],
  TAKE: [{ amount: 1 }, { amount: 2 }],
};

/** Engines with one fault each, by name. */
export const FAULTY_ENGINES: Readonly<Record<string, () => ConcurrentDriver>> = {
  'a reply before the commit, then a kill': () => {
    const store = memoryStore();
    // What was written last is in a buffer, and a kill loses it.
    let buffered: readonly Write[] | undefined;
    const commit = async (writes: readonly Write[]): Promise<void> => {
      if (buffered !== undefined) await store.commit(buffered);
      const isCreate = writes.some((each) => 'put' in each && each.put === 'snapshot');
      buffered = isCreate ? undefined : writes;
      if (isCreate) await store.commit(writes);
    };
    const faulty = new Proxy(store, {
      get: (target, name) => {
        if (name === 'commit') return commit;
        if (name === 'close') return async () => undefined;
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const openStore = (): EngineStore => {
      buffered = undefined;
      return faulty;
    };
    return concurrentEngineDriver({ machine: accountMachine, openStore });
  },
  'a repeated event is applied twice': () => {
    let attempts = 0;
    return withDriver((driver) => ({
      send: (call) => {
        attempts += 1;
        return driver.send({ ...call, key: `${call.key}-${attempts}` });
      },
    }));
  },
  'a read from a cache': () => {
    const cache = new Map<string, Awaited<ReturnType<ConcurrentDriver['read']>>>();
    let reads = 0;
    return withDriver((driver) => ({
      read: async (call) => {
        reads += 1;
        const cached = cache.get(call.actor);
        if (cached !== undefined && reads % 3 !== 0) return cached;
        const fresh = await driver.read(call);
        cache.set(call.actor, fresh);
        return fresh;
      },
    }));
  },
  'one key for the events of one client': () =>
    withDriver((driver) => ({
      send: async (call) => {
        const sent = driver.send({ ...call, key: `${call.client} ${call.event.type}` });
        // The engine refuses a key with another payload; a server that hides it answers anyway.
        return await sent.catch(async () => {
          const { value, status } = await driver.read(call);
          return { value, status };
        });
      },
    })),
  'an update from a state that was read before': () => lostUpdate(),
};

/** Another engine on the same store, which does not know what the first one has in memory. */
function lostUpdate(): ConcurrentDriver {
  const engines: ActorEngine[] = [];
  const driver = concurrentEngineDriver({
    machine: accountMachine,
    startEngine: async (options: EngineOptions) => {
      const engine = await createEngine(options);
      engines.push(engine, await createEngine(options));
      return engine;
    },
  });
  let sends = 0;
  return {
    ...driver,
    send: async (call) => {
      sends += 1;
      if (sends % 2 === 0) return await driver.send(call);
      const { value, status } = (await engines
        .at(-1)
        ?.tell(call.actor, call.event, { idempotencyKey: call.key })
        .catch(() => driver.read(call))) ?? { value: null, status: 'active' };
      return { value, status };
    },
  };
}

function withDriver(
  change: (driver: ConcurrentDriver) => Partial<ConcurrentDriver>,
): ConcurrentDriver {
  const driver = concurrentEngineDriver({ machine: accountMachine });
  return { ...driver, ...change(driver) };
}
