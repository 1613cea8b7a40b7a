import { expect, test } from 'vitest';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import type { EngineStore } from '../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { engineDriver } from '../../src/testing/engine-driver.ts';
import { FAULTS, withFaults } from '../../src/testing/fault-copies.ts';
import type { FaultName, TestPath } from '../../src/testing/path.ts';
import { PathFailure } from '../../src/testing/path-failure.ts';
import { pathFrom, pathsOf } from '../../src/testing/paths-of.ts';
import { runPath } from '../../src/testing/run-path.ts';
import { doorMachine, doorPlan } from '../support/small-machines.ts';

const SLAM = 'xstate.after.slam.door.open';
const WAY = pathFrom(doorMachine, {
  id: 'way',
  steps: [
    { event: { type: 'OPEN', by: 'ada' } },
    { event: { type: 'CLOSE' } },
    { event: { type: 'OPEN', by: 'ada' } },
    { delay: SLAM },
    { event: { type: 'LOCK' } },
    { effect: 'unlock', src: 'unlock', output: null },
  ],
});

test('every fault stands after every step that it makes sense after', () => {
  const copies = withFaults([WAY], { where: 'everyStep' });
  expect(copies.map(({ id }) => id)).toEqual(FAULTS.map((name) => `way+${name}`));
  expect(copies.map((path) => placesOf(path).length)).toEqual([7, 4, 5, 6]);
});

test('a sample has one fault a copy, at a place that the seed decides', () => {
  const paths = pathsOf(doorMachine, { ...doorPlan, how: 'transitions' });
  const sample = (seed: number) => withFaults(paths, { where: 9, seed });
  expect(sample(1).map(({ id }) => id)).toEqual(sample(1).map(({ id }) => id));
  expect(sample(1).map(({ id }) => id)).not.toEqual(sample(2).map(({ id }) => id));
  expect(sample(1).map((path) => placesOf(path).length)).toEqual(
    Array.from({ length: 9 }, () => 1),
  );
  expect(new Set(sample(1).map(({ id }) => id)).size).toBeGreaterThan(3);
});

test('a fault that does not exist is refused by name', () => {
  expect(() => withFaults([WAY], { faults: ['flood' as FaultName], where: 1 })).toThrow(
    'the fault "flood" is unknown; allowed: kill_restart, lost_reply, duplicate, delay',
  );
  expect(() => withFaults([WAY], { where: 0 })).toThrow('where is 0');
});

test('a kill shows a store that loses its timers', async () => {
  expect(await faultSeenBy('kill_restart', (store) => losing(store, 'timer'))).toBe('kill_restart');
});

test('a kill shows a store that loses the effects that run', async () => {
  expect(await faultSeenBy('kill_restart', (store) => losing(store, 'effect'))).toBe(
    'kill_restart',
  );
});

test('a lost reply shows a store that forgets what was answered', async () => {
  const forgetful = (store: EngineStore) => changedStore(store, { idempotency: () => undefined });
  expect(await faultSeenBy('lost_reply', forgetful)).toBe('lost_reply');
  expect(await faultSeenBy('duplicate', forgetful)).toBe('duplicate');
});

test('a late result shows an engine that takes it', async () => {
  const driver = engineDriver({
    machine: doorMachine,
    startEngine: async (options) => {
      const engine = await createEngine(options);
      const taking = {
        complete: async (token: string) => engine.tell(idOf(token), { type: 'LOCK' }),
      };
      return Object.assign(Object.create(engine) as typeof engine, bound(engine), taking);
    },
  });
  expect(await seenFault(driver, 'delay')).toBe('delay');
});

test('without a fault a store that loses effects is not noticed', async () => {
  const store = losing(memoryStore(), 'effect');
  const driver = engineDriver({ machine: doorMachine, openStore: () => store });
  expect(await runPath(WAY, driver)).toEqual({ steps: 6, faults: 0 });
});

function placesOf({ begin, steps }: TestPath) {
  return [begin, ...steps].filter(({ faults = [] }) => faults.length > 0);
}

/** Runs the way over a store that is not closed by kills, and tells the fault that showed it. */
async function faultSeenBy(fault: FaultName, wrap: (store: EngineStore) => EngineStore) {
  const kept = changedStore(memoryStore(), { close: async () => undefined });
  const store = wrap(kept);
  return seenFault(engineDriver({ machine: doorMachine, openStore: () => store }), fault);
}

async function seenFault(driver: ReturnType<typeof engineDriver>, fault: FaultName) {
  const thrown: unknown = await runPath(WAY, driver, { faults: [fault] }).catch(
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(PathFailure);
  return (thrown as PathFailure).fault;
}

function losing(store: EngineStore, what: 'timer' | 'effect'): EngineStore {
  const commit: EngineStore['commit'] = (writes) =>
    store.commit(
      writes
        .filter((write) => !('put' in write && write.put === what))
        .map((write) =>
          'put' in write && write.put === 'snapshot'
            ? { ...write, row: { ...write.row, [`${what}s`]: [] } }
            : write,
        ),
    );
  return changedStore(store, { commit });
}

function changedStore(store: EngineStore, change: Partial<EngineStore>): EngineStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in change ? change : target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function bound<T extends object>(engine: T): Partial<T> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(engine)) as (keyof T)[];
  const methods = names.filter((name) => typeof engine[name] === 'function');
  return Object.fromEntries(
    methods.map((name) => [name, (engine[name] as () => unknown).bind(engine)]),
  ) as Partial<T>;
}

function idOf(token: string): string {
  return token.slice(0, token.indexOf(':'));
}
