import { expect } from 'vitest';
import type { Claims } from '../../../runtime/conformance/claims.ts';
import { counter, hold } from '../../../support/actors.ts';
import { add, inspectorOf, oneSample, until, Watcher } from '../../../support/inspected.ts';

/** Runtime figures, and the words of XState's inspection. */
export const streamClaims: Claims = {
  'runtime figures come whole, then one by one': async (world) => {
    const engine = await world.start([counter, hold]);
    const runtime = oneSample();
    let isFast = true;
    const watcher = await Watcher.on(
      inspectorOf({ engine, runtime }),
      { name: 'runtime' },
      { keepsUp: () => isFast },
    );
    runtime.tell(2);
    isFast = false;
    runtime.tell(3);
    runtime.tell(4);
    isFast = true;
    watcher.resume();
    const told = watcher.frames('runtime').map(({ isFirst, samples }) => [isFirst, samples[0]?.at]);
    expect(told).toEqual([
      [true, 1],
      [false, 2],
      [false, 3],
      [true, 1],
    ]);
    watcher.end();
  },

  "the stream is told in the words of XState's inspection too": async (world) => {
    const engine = await world.start([counter, hold]);
    await engine.create('counter', 'c/1');
    await add(engine, 'c/1');
    const topic = { name: 'actor', actorId: 'c/1', fromSeq: 1, format: 'xstate' } as const;
    const watcher = await Watcher.on(inspectorOf({ engine }), topic);
    await until(() => watcher.shown.length > 0, 'a batch');
    const events = (watcher.shown[0]?.['events'] ?? []) as { type: string }[];
    expect(events.map(({ type }) => type)).toEqual([
      '@xstate.actor',
      '@xstate.event',
      '@xstate.snapshot',
      '@xstate.event',
      '@xstate.snapshot',
    ]);
    expect(JSON.parse(String((events[0] as { definition?: string }).definition))).toMatchObject({
      id: 'counter',
    });
    expect(events[4]).toMatchObject({
      sessionId: 'c/1',
      rootId: 'c/1',
      snapshot: { status: 'active', value: 'open' },
      event: { type: 'ADD', n: 1 },
    });
    expect(watcher.shown[0]).toMatchObject({ nextSeq: 3 });
    watcher.end();
  },
};
