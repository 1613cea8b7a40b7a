import { setup } from 'xstate';
import type { Memory, Start } from './acts.ts';
import { actions, actors, common, count, emptyMemory, perform } from './acts.ts';

/** Does what it is told: timers, effects, messages, new actors; ends with `END`. */
export function puppetMachine(version: number) {
  return setup({ types: {} as { context: Memory; input: Start }, actors, actions }).createMachine({
    id: 'puppet',
    context: emptyMemory,
    initial: 'open',
    on: common,
    states: {
      open: {
        on: {
          RING: { actions: ['perform', 'count'] },
          END: 'closed',
          ...(version > 1 ? { SHOUT: { actions: 'count' } } : {}),
        },
      },
      closed: { type: 'final' },
    },
    output: ({ context }) => ({ counts: context.counts }),
  });
}

/** Breaks in many ways in version 1; what broke it does no harm in version 2. */
export function fragileMachine(version: number) {
  const guards = {
    isFit: ({ event }: { event: unknown }) => {
      if (version === 1 && (event as { bad?: unknown }).bad === true) {
        throw new Error('the guard broke');
      }
      return true;
    },
  };
  const fit = { guard: 'isFit', actions: ['perform', 'count'] } as never;
  return setup({
    types: {} as { context: Memory; input: Start },
    actors,
    guards: guards as never,
    actions: { perform, count },
  }).createMachine({
    id: 'fragile',
    context: emptyMemory,
    initial: 'open',
    states: {
      open: {
        on: {
          DO: fit,
          RING: fit,
          // Version 1 does not handle errors of effects: one of them poisons.
          'xstate.done.actor.*': { actions: 'count' },
          ...(version > 1 ? { 'xstate.error.actor.*': { actions: 'count' } } : {}),
          END: 'closed',
        } as never,
      },
      closed: { type: 'final' },
    },
  });
}
