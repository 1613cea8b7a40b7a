import type { AnyActorScope, AnyStateMachine } from 'xstate';
import { createActor, createMachine } from 'xstate';
import { StepSystem } from '../system/step-system.ts';

/** Actor scope in which a machine computes transitions; nothing in it ever runs. */
export type InertScope = AnyActorScope;

/**
 * Returns the cached scope of a machine. XState's own `transition()` creates an actor per call,
 * including its initial state. One scope per machine gives the same results without that cost.
 */
export function inertScope(machine: AnyStateMachine): InertScope {
  const known = scopes.get(machine);
  if (known !== undefined) return known;
  // An actor of the machine itself would run its initial actions.
  const parent = createActor(createMachine({}));
  const self = createActor(createMachine({ id: machine.id }), { parent, id: machine.id });
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
  systems.set(machine, new StepSystem(self));
  return scope;
}

/** Returns the system ids of the current step of a machine. */
export function stepSystem(machine: AnyStateMachine): StepSystem {
  inertScope(machine);
  return systems.get(machine) as StepSystem;
}

const systems = new WeakMap<AnyStateMachine, StepSystem>();

const scopes = new WeakMap<AnyStateMachine, InertScope>();
