import { expect, test } from 'vitest';
import { ActorDirectory } from '../../../src/actors/inspect/actor-directory.ts';
import { Outlet } from '../../../src/actors/inspect/outlet.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { counter } from '../../support/actors.ts';

async function directoryOf() {
  const clock = new SimulatedClock(0, () => new Promise((resolve) => setTimeout(resolve, 4)));
  const engine = await createEngine({ store: memoryStore(), clock, definitions: [counter] });
  const watched = { begun: 0, ended: 0 };
  const counted = new Proxy(engine, {
    get: (target, name) => {
      if (name === 'watchList') {
        return (listener: Parameters<typeof engine.watchList>[0]) => {
          watched.begun += 1;
          const end = engine.watchList(listener);
          return () => {
            watched.ended += 1;
            end();
          };
        };
      }
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return { clock, engine, watched, directory: new ActorDirectory({ engine: counted, clock }) };
}

function join(directory: ActorDirectory) {
  const pushes: unknown[] = [];
  const outlet = new Outlet({ push: (body) => pushes.push(body) > 0 });
  outlet.add(directory.join(outlet, () => undefined));
  return { outlet, pushes };
}

test('nothing listens to the engine until somebody looks, nor a while after the last', async () => {
  const { clock, watched, directory } = await directoryOf();
  expect(watched).toEqual({ begun: 0, ended: 0 });
  const [one, two] = [join(directory), join(directory)];
  await clock.advance(1_000);
  expect(watched).toEqual({ begun: 1, ended: 0 });
  one.outlet.close();
  two.outlet.close();
  await clock.advance(10_000);
  expect(watched).toEqual({ begun: 1, ended: 0 });
  const three = join(directory);
  await clock.advance(60_000);
  expect(watched).toEqual({ begun: 1, ended: 0 });
  three.outlet.close();
  await clock.advance(60_000);
  expect(watched).toEqual({ begun: 1, ended: 1 });
});

test('consoles that are level are handed the same frames, at most ten a second', async () => {
  const { clock, engine, directory } = await directoryOf();
  await engine.create('counter', 'c/1');
  const [one, two] = [join(directory), join(directory)];
  await clock.advance(1_000);
  const before = one.pushes.length;
  for (let at = 0; at < 100; at += 1) {
    await engine.tell('c/1', { type: 'ADD', n: 1 });
    await clock.advance(10);
  }
  await clock.advance(100);
  const frames = one.pushes.slice(before) as { readonly frame: unknown }[];
  expect(frames.length).toBeGreaterThan(5);
  expect(frames.length).toBeLessThanOrEqual(12);
  const others = two.pushes.slice(-frames.length) as { readonly frame: unknown }[];
  expect(frames.every(({ frame }, at) => frame === others[at]?.frame)).toBe(true);
  one.outlet.close();
  two.outlet.close();
});
