import { expect, test } from 'vitest';
import type { EngineStore } from '../../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import {
  answerOfEngine,
  concurrentEngineDriver,
} from '../../../src/testing/concurrency/engine-clients.ts';
import { runConcurrently } from '../../../src/testing/concurrency/run-concurrently.ts';
import { delayedStore } from '../../support/delayed-store.ts';
import { accountEvents, accountMachine } from './faulty-engines.ts';

test('an engine whose store answers late is linearizable, killed and opened again', async () => {
  let opened = 0;
  const driver = () => {
    const rows = memoryStore();
    const openStore = (): EngineStore => {
      opened += 1;
      const { store, landed } = delayedStore(rows, opened);
      return new Proxy(store, {
        // The rows outlive a process, whose last commits land.
        get: (target, name) => (name === 'close' ? landed : Reflect.get(target, name)) as unknown,
      });
    };
    return concurrentEngineDriver({ machine: accountMachine, openStore });
  };
  const options = { events: accountEvents, answer: answerOfEngine, driver };
  const size = { clients: 4, operations: 5, actors: 2, runs: 40 };
  const sum = await runConcurrently(accountMachine, { ...options, ...size });
  expect(sum.runs).toBe(40);
  expect(sum.faults).toBeGreaterThan(40);
});
