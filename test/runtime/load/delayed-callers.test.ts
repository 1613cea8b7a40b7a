import { afterEach, expect, test } from 'vitest';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { counter } from '../../support/actors.ts';
import { delayedStore } from '../../support/delayed-store.ts';

const CALLERS = 32;
const ACTORS = 3;
const CALLS = 12;

const engines: ActorEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

/** An engine on a store that answers late, which evicts actors whenever it can. */
async function startForgetful(seed: number) {
  const rows = memoryStore();
  const delayed = delayedStore(rows, seed);
  let loads = 0;
  const store = new Proxy(delayed.store, {
    get: (target, name) => {
      if (name === 'load') loads += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
  const definitions = [counter];
  const options = { store, clock: systemClock(), definitions, passivateAfterMs: 0 };
  const engine = await createEngine(options);
  engines.push(engine);
  return { engine, rows, loads: () => loads };
}

test.each([1, 2, 3, 4, 5])(
  'callers keep their order while actors come and go, seed %i',
  async (seed) => {
    const { engine, rows, loads } = await startForgetful(seed);
    const ids = Array.from({ length: ACTORS }, (_, n) => `c/${n}`);
    for (const id of ids) await engine.create('counter', id);
    const call = async (caller: number): Promise<void> => {
      const calls = Array.from({ length: CALLS }, (_, n) => {
        const id = ids[(caller + n) % ACTORS] ?? '';
        const key = n % 2 === 0 ? { idempotencyKey: `${caller}-${n}` } : {};
        const tell = () => engine.tell(id, { type: 'ADD', n: 1, caller, call: n }, key);
        // A call with a key is made twice, as a client does that hears nothing.
        return n % 2 === 0 ? Promise.all([tell(), tell()]) : Promise.all([tell()]);
      });
      for (const [n, answers] of (await Promise.all(calls)).entries()) {
        expect(new Set(answers.map(({ seq }) => seq)), `call ${n} of ${caller}`).toHaveLength(1);
        if (n % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    for (let from = 0; from < CALLERS; from += 8) {
      await Promise.all(Array.from({ length: 8 }, (_, n) => call(from + n)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller + CALLERS)));

    let total = 0;
    for (const id of ids) {
      const events = rows.readJournal(id, 2, 10_000).map(({ event }) => event);
      for (const caller of Array.from({ length: 2 * CALLERS }, (_, n) => n)) {
        const own = events.filter((event) => event['caller'] === caller).map(({ call: n }) => n);
        expect(own, `${id}, caller ${caller}`).toEqual(
          [...own].sort((a, b) => Number(a) - Number(b)),
        );
      }
      total += events.length;
      expect((await engine.view(id)).context).toEqual({ total: events.length });
    }
    expect(total).toBe(2 * CALLERS * CALLS);
    expect(loads()).toBeGreaterThan(2 * ACTORS);
  },
);

test('calls to an actor that is being loaded are decided in the order in which they were made', async () => {
  const { engine } = await startForgetful(7);
  await engine.create('counter', 'c');
  for (let round = 0; round < 20; round += 1) {
    while (engine.stats().live > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const { seq } = await engine.view('c');
    const keyed = { idempotencyKey: `k${round}`, expectSeq: seq };
    const [first, second, refused] = await Promise.allSettled([
      engine.tell('c', { type: 'ADD', n: 1 }, keyed),
      engine.tell('c', { type: 'ADD', n: 1 }, { expectSeq: seq + 1 }),
      engine.tell('c', { type: 'ADD', n: 1 }, { expectSeq: seq }),
    ]);
    expect([first.status, second.status, refused.status]).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
  }
});

test('a mailbox has a bound while its actor is being loaded', async () => {
  const store = delayedStore(memoryStore(), 3).store;
  const options = { store, clock: systemClock(), definitions: [counter], mailboxMax: 4 };
  const first = await createEngine(options);
  await first.create('counter', 'c');
  await first.close();
  const engine = await createEngine(options);
  engines.push(engine);
  const calls = Array.from({ length: 9 }, () => engine.tell('c', { type: 'ADD', n: 1 }));
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({ reason: { code: 'OVERLOADED' } });
});
