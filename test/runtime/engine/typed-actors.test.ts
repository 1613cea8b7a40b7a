import { afterEach, expect, test } from 'vitest';
import { isOfKind, typeView } from '../../../src/runtime/engine/typed-actors.ts';
import { counter, hold } from '../../support/actors.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { memoryShelf } from '../../support/shelf.ts';

const worlds: EngineWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

async function begin() {
  const world = new EngineWorld(memoryShelf());
  worlds.push(world);
  return world.start([counter, hold]);
}

test('the actors of a definition have the types of its machine', async () => {
  const engine = await begin();
  const counters = engine.of(counter);
  await counters.create('a', { total: 3 });
  await counters.tell('a', { type: 'ADD', n: 2 });
  const { context, value } = await counters.view('a');
  const total: number = context.total;
  const state: 'open' | 'closed' = value;
  expect([total, state]).toEqual([5, 'open']);
  const asked = await counters.ask('a', { type: 'ADD', n: 1 }, (view) => view.context.total === 6, {
    timeoutMs: 1_000,
  });
  expect(asked.context.total).toBe(6);
  // @ts-expect-error The machine has no such event.
  await counters.tell('a', { type: 'GONE' });
});

test('a view of another kind is refused', async () => {
  const engine = await begin();
  await engine.of(hold).create('h', { holdMs: 5 });
  const view = await engine.view('h');
  expect([isOfKind(hold, view), isOfKind(counter, view)]).toEqual([true, false]);
  expect(() => typeView(counter, view)).toThrow('h has the kind hold, not counter.');
  await expect(engine.of(counter).view('h')).rejects.toMatchObject({
    code: 'ACTOR_KIND_CONFLICT',
    data: { id: 'h', kind: 'hold', wanted: 'counter' },
  });
});
