import type { AnyStateMachine } from 'xstate';
import type { ActionCall } from '../engine/step-types.ts';
import { listPlacedActions, walkNodes } from '../view/inspect-machine.ts';

/** An action as a function, as XState calls it. */
export type ActionFunction = (args: unknown, params: unknown) => unknown;

/**
 * Finds the action functions of a machine by names that survive a restart. An action declared in
 * `setup` has its own name; an inline one is named by its place, such as `order.paid/entry/0`.
 */
export interface ActionTable {
  /** Returns the name of a function; `undefined` if the machine does not declare it. */
  nameOf(run: ActionFunction): string | undefined;
  /** Returns the function with a name. */
  find(name: string): ActionFunction | undefined;
}

/**
 * Functions that a step created, by their calls. After a restart, the step is computed again to
 * find them.
 */
export const closures = new WeakMap<ActionCall, ActionFunction>();

/** Returns the action table of a machine. It is computed once. */
export function actionTable(machine: AnyStateMachine): ActionTable {
  const known = tables.get(machine);
  if (known !== undefined) return known;
  const names = new Map<ActionFunction, string>();
  const functions = new Map<string, ActionFunction>();
  const add = (name: string, run: unknown): void => {
    if (!isActionFunction(run)) return;
    functions.set(name, run);
    if (!names.has(run)) names.set(run, name);
  };
  const declared = machine.implementations.actions as Readonly<Record<string, unknown>>;
  for (const [name, run] of Object.entries(declared)) add(name, run);
  for (const node of walkNodes(machine.root)) {
    for (const [place, run] of listPlacedActions(node)) add(`${node.id}/${place}`, run);
  }
  const table = {
    nameOf: (run: ActionFunction) => names.get(run),
    find: functions.get.bind(functions),
  };
  tables.set(machine, table);
  return table;
}

const tables = new WeakMap<AnyStateMachine, ActionTable>();

/** Returns whether an action is a function of the user, and none of XState's own actions. */
export function isActionFunction(action: unknown): action is ActionFunction {
  return typeof action === 'function' && !('resolve' in action);
}
