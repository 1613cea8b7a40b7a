import { expect, test } from 'vitest';
import {
  answerOfEngine,
  concurrentEngineDriver,
} from '../../../src/testing/concurrency/engine-clients.ts';
import {
  HistoryFailure,
  runConcurrently,
} from '../../../src/testing/concurrency/run-concurrently.ts';
import { accountEvents, accountMachine, FAULTY_ENGINES } from './faulty-engines.ts';

const OPTIONS = { events: accountEvents, answer: answerOfEngine };

test('the engine in memory is linearizable under kills, lost replies and repeats', async () => {
  const driver = () => concurrentEngineDriver({ machine: accountMachine });
  const sum = await runConcurrently(accountMachine, { ...OPTIONS, driver, actors: 2, runs: 60 });
  expect(sum.runs).toBe(60);
  expect(sum.faults).toBeGreaterThan(60);
});

test.each(Object.entries(FAULTY_ENGINES))('a faulty engine is found: %s', async (_name, driver) => {
  const failure = await runConcurrently(accountMachine, { ...OPTIONS, driver, runs: 200 }).catch(
    (thrown: unknown) => thrown,
  );
  expect(failure).toBeInstanceOf(HistoryFailure);
  expect((failure as HistoryFailure).history.length).toBeLessThanOrEqual(5);
});
