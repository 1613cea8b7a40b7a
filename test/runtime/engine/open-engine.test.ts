import { expect, test } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import { openEngine } from '../../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';

const noteMachine = setup({
  types: {} as { context: { notes: string[] }; events: { type: 'NOTE'; text: string } },
}).createMachine({
  id: 'note',
  context: { notes: [] },
  on: {
    NOTE: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.text] }) },
  },
});
const note = define({ kind: 'note', version: 1, machine: noteMachine, effects: {} });

const writerMachine = setup({
  actors: { write: fromPromise<null, { text: string }>(async () => null) },
}).createMachine({
  id: 'writer',
  initial: 'writing',
  context: ({ input }) => ({ text: String((input as { text: string }).text) }),
  states: {
    writing: {
      invoke: {
        src: 'write',
        input: ({ context }) => ({ text: String(context['text']) }),
        onDone: 'done',
      },
    },
    done: { type: 'final' },
  },
});

/** A kind whose effect needs the engine that runs it. */
function writer(engine: ActorEngine, hangs: boolean) {
  return define({
    kind: 'writer',
    version: 1,
    machine: writerMachine,
    effects: {
      write: {
        attempts: 3,
        timeoutMs: 60_000,
        run: async ({ text }: { readonly text: string }, { signal }) => {
          if (hangs) await new Promise((_, fail) => signal.addEventListener('abort', fail));
          await engine.tell('n/1', { type: 'NOTE', text });
          return null;
        },
      },
    },
  });
}

async function leaveEffect() {
  const store = memoryStore();
  const clock = new SimulatedClock(0);
  const first = openEngine({ store, clock, definitions: [note] });
  first.define(writer(first.engine, true));
  await first.start();
  await first.engine.create('note', 'n/1');
  await first.engine.create('writer', 'w/1', { text: 'left' });
  await first.engine.close();
  return { store, clock };
}

const notes = async (engine: ActorEngine) => (await engine.view('n/1')).context['notes'];
const turns = () => new Promise((resolve) => setTimeout(resolve, 20));

test('an opened engine takes calls, and resumes effects of the last process at its start', async () => {
  const { store, clock } = await leaveEffect();
  const { engine, define: add, start } = openEngine({ store, clock, definitions: [note] });
  add(writer(engine, false));
  await engine.tell('n/1', { type: 'NOTE', text: 'early' });
  await turns();
  expect(await notes(engine)).toEqual(['early']);
  await start();
  await engine.waitFor('w/1', ({ status }) => status === 'done', { timeoutMs: 1_000 });
  expect(await notes(engine)).toEqual(['early', 'left']);
  await engine.close();
});

test('what was started before the start runs once', async () => {
  const { store, clock } = await leaveEffect();
  const { engine, define: add, start } = openEngine({ store, clock, definitions: [note] });
  add(writer(engine, false));
  const created = engine.create('writer', 'w/2', { text: 'own' });
  await start();
  await created;
  const isDone = ({ status }: { readonly status: string }) => status === 'done';
  for (const id of ['w/1', 'w/2']) await engine.waitFor(id, isDone, { timeoutMs: 1_000 });
  expect([...((await notes(engine)) as string[])].sort()).toEqual(['left', 'own']);
  await engine.close();
});

test('a kind is defined once', async () => {
  const clock = new SimulatedClock(0);
  const { engine, define: add } = openEngine({ store: memoryStore(), clock, definitions: [note] });
  expect(() => add(note)).toThrow(expect.objectContaining({ code: 'DEFINITION_INVALID' }));
  await engine.close();
});
