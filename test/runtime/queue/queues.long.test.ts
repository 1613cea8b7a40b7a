import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { EngineWorld } from '../../support/engine-world.ts';
import { QUEUED_KINDS } from '../../support/queue-bench.ts';
import { lmdbShelf, memoryShelf } from '../../support/shelf.ts';
import { playQueues } from '../conformance/queue-crashes.ts';

const WAITING = 100_000;
/** Enqueued by one caller each at the same time. */
const CALLERS = 1_000;
/** A row of them would be several hundred bytes in memory. */
const BYTES_A_ROW_MAX = 100;

let world: EngineWorld;
afterEach(() => world.end());

test('thousands of random stories end as they should', async () => {
  world = new EngineWorld(memoryShelf());
  await playQueues(world, 3_000);
}, 300_000);

test('random stories on disk end as they should', async () => {
  world = new EngineWorld(lmdbShelf());
  await playQueues(world, 150);
}, 300_000);

test('a hundred thousand wait on disk, not in memory, and nobody waits behind a full key', async () => {
  world = new EngineWorld(lmdbShelf());
  const options = { queues: [{ name: 'q', concurrency: 4, perKey: { concurrency: 1 } }] };
  const engine = await world.start(QUEUED_KINDS, options);
  const before = heapBytes();
  for (let from = 0; from < WAITING; from += CALLERS) {
    await Promise.all(
      Array.from({ length: CALLERS }, (_, n) => {
        const input = { total: from + n, note: 'x'.repeat(200) };
        return engine.enqueue('q', 'counter', idOf(from + n), input, { key: 'one' });
      }),
    );
  }
  expect((heapBytes() - before) / WAITING).toBeLessThan(BYTES_A_ROW_MAX);
  expect(await engine.enqueue('q', 'counter', 'other', {}, { key: 'two' })).toMatchObject({
    state: 'started',
  });
  await drain(50, 0);
  world.crash();
  await world.start(QUEUED_KINDS, options);
  await world.rest();
  expect(world.store.waitingCount('q')).toBe(WAITING - 51);
  await world.engine.enqueue('q', 'counter', 'last', {}, { key: 'three' });
  expect(await world.engine.view('last')).toMatchObject({ value: 'open' });
  await drain(50, 50);
  await drain(1, 100);
}, 300_000);

/** Ends those that run, one after the other, and looks that the next one is the next in line. */
async function drain(count: number, from: number): Promise<void> {
  for (let n = from; n < from + count; n += 1) {
    expect(await world.engine.view(idOf(n))).toMatchObject({ value: 'open' });
    await world.engine.tell(idOf(n), { type: 'CLOSE' });
    await world.rest();
  }
}

function idOf(n: number): string {
  return `w/${String(n).padStart(6, '0')}`;
}

/** What is still held after garbage was collected. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
