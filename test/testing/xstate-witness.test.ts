import { expect, test } from 'vitest';
import { assign, raise, setup } from 'xstate';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { pathsOf } from '../../src/testing/paths-of.ts';
import { findPlan } from '../../src/testing/plans/plans.ts';
import { confirmWithXState } from '../../src/testing/xstate-witness.ts';
import { clockMachine, doorMachine, richMachine, richPlan } from '../support/small-machines.ts';

const diary = setup({
  types: {} as {
    context: { got: string[] };
    events: { type: 'BOOK'; who: string } | { type: 'REMIND'; who: string };
  },
}).createMachine({
  id: 'diary',
  context: { got: [] },
  on: {
    BOOK: {
      guard: ({ context }) => context.got.length < 3,
      actions: raise(({ event }) => ({ type: 'REMIND', who: event.who }), { delay: 300 }),
    },
    REMIND: {
      actions: assign({ got: ({ context, event }) => [...context.got, event.who] }),
    },
  },
});

const BOOKINGS = { BOOK: [{ who: 'a' }, { who: 'b' }], REMIND: [] };

test('XState itself goes every path of the small machines as the model does', () => {
  const random = { how: 'random', time: 'around', ignored: 'everywhere', countMax: 15 } as const;
  const sets = [
    [doorMachine, { events: { OPEN: [{ by: 'ada' }, { by: 'eve' }] } }],
    [clockMachine, {}],
    [richMachine, richPlan],
    [diary, { events: BOOKINGS }],
  ] as const;
  for (const [machine, plan] of sets) {
    for (const path of pathsOf(machine, { ...plan, ...random })) confirmWithXState(machine, path);
  }
});

test.each(MACHINES)('XState itself goes random paths of $kind as the model does', (known) => {
  const { kind, machine } = known;
  const paths = pathsOf(machine, { ...findPlan(kind), how: 'random', countMax: 5 });
  for (const path of paths) confirmWithXState(machine, path);
});

test('a model that loses one of three reminders is refused', () => {
  const [path] = pathsOf(diary, { events: BOOKINGS, how: 'random', countMax: 1, lengthMax: 9 });
  const steps = path?.steps.map((step) => {
    const got = step.after.context['got'] as readonly string[];
    return { ...step, after: { ...step.after, context: { got: got.slice(0, 1) } } };
  });
  expect(() => confirmWithXState(diary, { ...path, steps } as never)).toThrow(/XState itself has/);
});
