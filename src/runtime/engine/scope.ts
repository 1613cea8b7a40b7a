import type { AnyActorScope, AnyStateMachine } from 'xstate';
import { createActor, createMachine } from 'xstate';

/** What a machine needs around it when it is asked for its transitions; nothing in it ever runs. */
export type InertScope = AnyActorScope;

/**
 * Gives the scope of a machine. XState's own `transition()` builds an actor per call, initial state
 * included, only to have one; a scope per machine gives the same answers without that work.
 */
export function inertScope(machine: AnyStateMachine): InertScope {
  const known = scopes.get(machine);
  if (known !== undefined) return known;
  // An actor of the machine itself would run its first actions.
  const self = createActor(createMachine({ id: machine.id }));
  const scope: InertScope = {
    self,
    id: self.id,
    sessionId: self.sessionId,
    system: self.system,
    logger: () => undefined,
    defer: () => undefined,
    emit: () => undefined,
    stopChild: () => undefined,
    actionExecutor: () => undefined,
  };
  scopes.set(machine, scope);
  return scope;
}

const scopes = new WeakMap<AnyStateMachine, InertScope>();
