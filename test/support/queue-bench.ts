import { setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';
import type { Definition } from '../../src/runtime/engine/types.ts';
import { counter, post } from './actors.ts';
import type { EngineWorld } from './engine-world.ts';

/** Kinds that queued actors of tests are of. */
export const QUEUED_KINDS: readonly Definition[] = [counter, post];

/** Ends with its first row. */
export const flash = define({
  kind: 'flash',
  version: 1,
  machine: setup({}).createMachine({ initial: 'over', states: { over: { type: 'final' } } }),
  effects: {},
});

/** Cannot start. */
export const broken = define({
  kind: 'broken',
  version: 1,
  machine: setup({}).createMachine({
    context: () => {
      throw new Error('no context');
    },
  }),
  effects: {},
});

/** Ids of a queue's actors that wait, in order. */
export async function waitingIds(world: EngineWorld, queue = 'q'): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await world.engine.queued(queue, cursor);
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return ids;
}

/** Ids of counters that run, in the order in which they have started. */
export async function runningIds(world: EngineWorld): Promise<readonly string[]> {
  const { rows } = await world.engine.list({ kind: 'counter', status: 'active', limit: 1_000 });
  const started = await Promise.all(
    rows.map(async ({ id }) => ({ id, at: (await world.journal(id))[0]?.globalSeq ?? 0 })),
  );
  return started.sort((a, b) => a.at - b.at).map(({ id }) => id);
}

/** Ends a counter. */
export async function endOf(world: EngineWorld, id: string): Promise<void> {
  await world.engine.tell(id, { type: 'CLOSE' });
  await world.rest();
}
