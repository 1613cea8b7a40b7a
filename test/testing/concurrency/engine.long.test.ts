import { expect, test } from 'vitest';
import {
  answerOfEngine,
  concurrentEngineDriver,
} from '../../../src/testing/concurrency/engine-clients.ts';
import { runConcurrently } from '../../../src/testing/concurrency/run-concurrently.ts';
import { lmdbShelf } from '../../support/shelf.ts';
import { accountEvents, accountMachine } from './faulty-engines.ts';

const OPTIONS = { events: accountEvents, answer: answerOfEngine };

test('the engine in memory is linearizable in many runs', async () => {
  const driver = () => concurrentEngineDriver({ machine: accountMachine });
  const size = { clients: 5, operations: 6, actors: 2, runs: 500 };
  const sum = await runConcurrently(accountMachine, { ...OPTIONS, ...size, driver });
  expect(sum.faults).toBeGreaterThan(500);
});

test('the engine on disk is linearizable, killed and opened again', async () => {
  const driver = () => {
    const shelf = lmdbShelf();
    const driver = concurrentEngineDriver({
      machine: accountMachine,
      openStore: () => shelf.open(),
    });
    const close = async (): Promise<void> => {
      await driver.close();
      await shelf.remove();
    };
    return { ...driver, close };
  };
  const size = { clients: 4, operations: 5, actors: 2, runs: 40 };
  const sum = await runConcurrently(accountMachine, { ...OPTIONS, ...size, driver });
  expect(sum.faults).toBeGreaterThan(40);
});
