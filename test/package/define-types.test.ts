import { expect, test } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';
import { LATER } from '../../src/runtime/engine/types.ts';

// What must not compile stands behind an expectation of an error: the check of types sees to it.

const work = fromPromise<{ readonly done: number }, { readonly size: number }>(() =>
  Promise.reject(new Error('not run')),
);
const ask = fromPromise<string, undefined>(() => Promise.reject(new Error('not run')));
const machine = setup({
  types: {} as { context: { readonly done: number } },
  actors: { work, ask },
}).createMachine({
  id: 'm',
  context: { done: 0 },
  initial: 'working',
  states: {
    working: {
      invoke: {
        src: 'work',
        input: { size: 1 },
        onDone: { target: 'over', actions: assign({ done: ({ event }) => event.output.done }) },
      },
    },
    over: { type: 'final' },
  },
});
const kind = { kind: 'k', version: 1 } as const;
const run = async ({ size }: { readonly size: number }) => ({ done: size });
const later = { run: async (): Promise<typeof LATER> => LATER };

test('effects are inferred from the machine', () => {
  const definition = define({
    ...kind,
    machine,
    effects: {
      work: { run: async ({ size }, { token }) => ({ done: size + token.length }) },
      ask: { run: async (input) => (input === undefined ? LATER : 'never') },
    },
  });
  expect(Object.keys(definition.effects)).toEqual(['work', 'ask']);
});

test('a misspelt effect does not compile, nor does it run', () => {
  // A promise actor without an effect runs as it is written in the machine.
  expect(Object.keys(define({ ...kind, machine, effects: { work: { run } } }).effects)).toEqual([
    'work',
    'ask',
  ]);
  const misspelt = () =>
    // @ts-expect-error There is no effect `wrok`.
    define({ ...kind, machine, effects: { work: { run }, ask: later, wrok: later } });
  expect(misspelt).toThrow('wrok');
});

test('inputs and outputs of effects are those of the machine', () => {
  const effects = { work: { run }, ask: later };
  expect(define({ ...kind, machine, effects }).kind).toBe('k');
  const wrongInput = { run: async ({ sise }: { readonly sise: number }) => ({ done: sise }) };
  // @ts-expect-error The input of `work` has a size.
  expect(define({ ...kind, machine, effects: { ...effects, work: wrongInput } }).version).toBe(1);
  const wrongOutput = { run: async () => ({ done: 'much' }) };
  // @ts-expect-error The output of `work` is a number.
  expect(define({ ...kind, machine, effects: { ...effects, work: wrongOutput } }).version).toBe(1);
});

test('a machine without effects takes none when it runs', () => {
  const plain = setup({}).createMachine({ id: 'p' });
  expect(define({ ...kind, machine: plain, effects: {} }).effects).toEqual({});
  const extra = () => define({ ...kind, machine: plain, effects: { work: later } });
  expect(extra).toThrow('work');
});
