import { tmpdir } from 'node:os';
import type { Database, Key } from 'lmdb';
import { beforeEach, expect, test } from 'vitest';
import { CommitQueue } from '../../../src/store/engine/commit-queue.ts';
import type { Deferred } from '../../support/deferred.ts';
import { deferred } from '../../support/deferred.ts';

let began: Deferred<boolean>[];
let isBroken: boolean;
let line: CommitQueue;

beforeEach(() => {
  began = [];
  isBroken = false;
  line = new CommitQueue(tmpdir(), slowMeta(), 1);
});

test('a failed commit takes those behind it with it, and later ones are written again', async () => {
  const commits = [1, 2, 3].map(() => outcomeOf(line.commit([])));
  expect(began).toHaveLength(1);
  began[0]?.reject(new Error('the disk is gone'));
  expect(await Promise.all(commits)).toEqual(['STORE_FAILED', 'STORE_FAILED', 'STORE_FAILED']);
  expect(began).toHaveLength(1);
  const later = outcomeOf(line.commit([]));
  began[1]?.resolve(true);
  expect(await later).toBe('written');
});

test('what comes while a transaction is on its way goes into the next one, in order', async () => {
  const told: number[] = [];
  const commits = [1, 2, 3].map((n) => line.commit([]).then(() => told.push(n)));
  began[0]?.resolve(true);
  await commits[0];
  expect(began).toHaveLength(2);
  began[1]?.resolve(true);
  await Promise.all(commits);
  expect(began).toHaveLength(2);
  expect(told).toEqual([1, 2, 3]);
});

test('changes that are to be computed are so behind all before them, in a transaction alone', async () => {
  const told: string[] = [];
  const first = line.commit([]).then(() => told.push('first'));
  const second = line.commit([]).then(() => told.push('second'));
  const third = line.commit(() => {
    told.push('computed');
    return [];
  });
  const last = line.commit([]).then(() => told.push('last'));
  began[0]?.resolve(true);
  await first;
  expect(began).toHaveLength(2);
  expect(told).toEqual(['first']);
  began[1]?.resolve(true);
  await second;
  expect(began).toHaveLength(3);
  began[2]?.resolve(true);
  await third;
  began[3]?.resolve(true);
  await last;
  expect(told.indexOf('computed')).toBeGreaterThan(0);
  expect(told.at(-1)).toBe('last');
});

test('those who wait for a failed commit hear of it when the file is open again', async () => {
  const open = deferred<void>();
  line.onBroken = () => open.promise;
  isBroken = true;
  let outcome = 'waits';
  const commit = outcomeOf(line.commit([])).then((known) => {
    outcome = known;
  });
  began[0]?.reject(new Error('the head could not be written'));
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(outcome).toBe('waits');
  open.resolve();
  await commit;
  expect(outcome).toBe('STORE_FAILED');
});

test('a pause lets commits wait, and what was begun end', async () => {
  const first = line.commit([]);
  const paused = line.pause();
  const second = line.commit([]);
  began[0]?.resolve(true);
  await Promise.all([first, paused]);
  expect(began).toHaveLength(1);
  line.resume();
  expect(began).toHaveLength(2);
  began[1]?.resolve(true);
  await second;
});

test('closing waits for all that was begun, and takes nothing more', async () => {
  const commits = [line.commit([]), line.commit([])];
  const closed = line.close();
  began[0]?.resolve(true);
  await commits[0];
  began[1]?.resolve(true);
  await Promise.all([...commits, closed]);
  expect(await outcomeOf(line.commit([]))).toBe('STORE_FAILED');
  expect(began).toHaveLength(2);
});

function outcomeOf(commit: Promise<void>): Promise<string> {
  return commit.then(
    () => 'written',
    ({ code }: { code: string }) => code,
  );
}

/** A database whose transactions end when the test says so. */
function slowMeta(): Database<string, Key> {
  let version = 0;
  const meta = {
    getEntry: () => ({ value: '', version }),
    putSync: (key: string, _value: string, next: number) => {
      if (key === 'epoch') version = next;
    },
    transactionSync: <T>(run: () => T): T => {
      if (isBroken) throw new Error('it takes nothing more');
      return run();
    },
    ifVersion: (_key: string, _version: number, run: () => void) => {
      run();
      const transaction = deferred<boolean>();
      began.push(transaction);
      return transaction.promise;
    },
  };
  return meta as unknown as Database<string, Key>;
}
