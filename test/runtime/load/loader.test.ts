import { expect, test } from 'vitest';
import type { EngineError } from '../../../src/runtime/engine/error.ts';
import type { StoredActor } from '../../../src/runtime/engine/ports.ts';
import { Departed } from '../../../src/runtime/load/departed.ts';
import { Loader } from '../../../src/runtime/load/loader.ts';
import { deferred } from '../../support/deferred.ts';

/** A loader over reads that the test answers. */
function openLoader() {
  const reads = new Map<string, ReturnType<typeof deferred<StoredActor | undefined>>>();
  const known = new Set<string>();
  const failures: EngineError[] = [];
  const loader = new Loader({
    isKnown: (id) => known.has(id),
    load: (id) => {
      const read = deferred<StoredActor | undefined>();
      reads.set(id, read);
      return read.promise;
    },
    settled: async () => undefined,
    onFailed: (error) => failures.push(error),
  });
  const answer = async (id: string): Promise<void> => {
    reads.get(id)?.resolve(undefined);
    await turn();
  };
  return { loader, known, failures, reads, answer };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a section of what is in memory runs at once, and returns what it returns', () => {
  const { loader, known } = openLoader();
  known.add('a');
  expect(loader.prepare({ ids: ['a'], read: () => 7 }, (rows) => rows + 1)).toBe(8);
});

test('sections of one actor run in the order of the calls, though it came to memory', async () => {
  const { loader, known, answer } = openLoader();
  const order: string[] = [];
  const run = async (name: string, ...ids: string[]) =>
    await loader.prepare({ ids }, () => order.push(name));
  const all = [run('1', 'a'), run('2', 'a', 'b'), run('3', 'b'), run('4', 'c'), run('5', 'a')];
  await answer('c');
  expect(order).toEqual(['4']);
  known.add('a');
  await answer('a');
  expect(order).toEqual(['4', '1']);
  expect(loader.isPinned('b')).toBe(true);
  await answer('b');
  await answer('b');
  await Promise.all(all);
  expect(order).toEqual(['4', '1', '2', '5', '3']);
  expect(loader.isPinned('b')).toBe(false);
});

test('a section inside of a section of the same actor runs at once', async () => {
  const { loader, answer } = openLoader();
  const order: string[] = [];
  const outer = loader.prepare({ ids: ['a'] }, () => {
    expect(loader.prepare({ ids: ['a'] }, () => order.push('inside'))).toBe(1);
    order.push('outside');
  });
  const later = loader.prepare({ ids: ['a'] }, () => order.push('later'));
  await answer('a');
  await outer;
  await answer('a');
  await later;
  expect(order).toEqual(['inside', 'outside', 'later']);
});

test('an actor that no section was prepared for is a fault, never unknown', () => {
  const { loader } = openLoader();
  expect(() => loader.take('a')).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
});

test('a fact is kept while a read from before it is under way', async () => {
  const { loader, answer } = openLoader();
  let isForgotten = false;
  const forget = (): void => {
    isForgotten = true;
  };
  const seen = loader.prepare({ ids: ['a'] }, () => isForgotten);
  loader.forget('a', forget);
  await answer('a');
  expect(await seen).toBe(false);
  expect(isForgotten).toBe(true);
});

test('a store that does not answer fails the engine and its callers', async () => {
  const { loader, failures, reads } = openLoader();
  const call = loader.prepare({ ids: ['a'] }, () => 1);
  reads.get('a')?.reject(new Error('the network is gone'));
  await expect(call).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(failures).toHaveLength(1);
  expect(loader.idle()).toBeUndefined();
});

test('calls before the engine is open wait and keep their order', async () => {
  const { loader, known } = openLoader();
  known.add('a');
  const opened = deferred<void>();
  loader.openAfter(opened.promise);
  const order: number[] = [];
  const calls = [1, 2, 3].map(
    async (n) => await loader.prepare({ ids: ['a'] }, () => order.push(n)),
  );
  await turn();
  expect(order).toEqual([]);
  opened.resolve();
  await Promise.all(calls);
  expect(order).toEqual([1, 2, 3]);
  expect(loader.opening).toBeUndefined();
});

test('a row that is gone is known until each read from before has been used', async () => {
  const gone = new Departed();
  const first = deferred<number>();
  gone.add('row');
  const used = gone.during(first.promise, () => gone.has('row'));
  gone.settle('row');
  const release = gone.hold();
  first.resolve(1);
  expect(await used).toBe(true);
  await turn();
  expect(gone.has('row')).toBe(false);
  release();
  gone.add('row');
  gone.settle('row');
  expect(gone.has('row')).toBe(false);
});
