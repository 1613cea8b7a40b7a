import type { AnyActorLogic, AnyActorRef, AnyStateMachine, PromiseActorLogic } from 'xstate';
import { inertScope } from '../engine/scope.ts';
import type { Effect } from '../engine/types.ts';
import { walkNodes } from '../view/inspect-machine.ts';

/**
 * Returns an effect for every promise actor of a machine, by the name that its rows have: the name
 * in `setup({actors})`, or XState's name for an actor written inside `invoke`. Their promises run
 * as effects. A rejection ends one at once, as in XState.
 */
export function promiseEffects(machine: AnyStateMachine): Readonly<Record<string, Effect<never>>> {
  const effects: Record<string, Effect<never>> = {};
  for (const [name, logic] of listActorLogic(machine)) {
    if (isPromiseLogic(logic)) effects[name] = toEffect(machine, logic);
  }
  return effects;
}

/** Returns the actors that a machine declares or has inside `invoke`, by name. */
export function listActorLogic(machine: AnyStateMachine): ReadonlyMap<string, AnyActorLogic> {
  const actors = machine.implementations.actors as Readonly<Record<string, AnyActorLogic>>;
  const found = new Map<string, AnyActorLogic>(Object.entries(actors));
  for (const node of walkNodes(machine.root)) {
    const invokes: unknown = node.config.invoke;
    const list = Array.isArray(invokes) ? (invokes as unknown[]) : [invokes];
    node.invoke.forEach(({ src }, index) => {
      const logic = (list[index] as { readonly src?: unknown } | undefined)?.src;
      if (typeof logic === 'object' && logic !== null)
        found.set(src as string, logic as AnyActorLogic);
    });
  }
  return found;
}

function toEffect(machine: AnyStateMachine, logic: AnyPromiseLogic): Effect<never> {
  const { self, system } = inertScope(machine);
  return {
    attempts: 1,
    run: async (input, { signal, show }) =>
      await logic.config({ input, signal, self, system, emit: show } as PromiseArguments),
  };
}

type AnyPromiseLogic = PromiseActorLogic<unknown, unknown> & {
  readonly config: (args: PromiseArguments) => PromiseLike<unknown>;
};

interface PromiseArguments {
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly self: AnyActorRef;
}

/** Tries a transition that only a promise actor knows. No code of the user runs. */
function isPromiseLogic(logic: unknown): logic is AnyPromiseLogic {
  const { config, start, transition } = logic as Record<string, unknown>;
  if (typeof config !== 'function' || typeof start !== 'function') return false;
  if (typeof transition !== 'function') return false;
  const resolve = { type: 'xstate.promise.resolve', data: RESOLVED };
  try {
    const next: unknown = transition({ status: 'active' }, resolve, {});
    return (next as { readonly output?: unknown }).output === RESOLVED;
  } catch {
    return false;
  }
}

const RESOLVED = Symbol('resolved');
