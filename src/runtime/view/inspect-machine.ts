import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { NAME_CHARS_MAX } from '../engine/name.ts';

/** XState action types whose effects are stored entirely in rows. */
export const PLAIN_ACTIONS = new Set([
  'xstate.assign',
  'xstate.raise',
  'xstate.cancel',
  'xstate.spawnChild',
  'xstate.stopChild',
  'xstate.emit',
  'xstate.enqueueActions',
]);

/**
 * Returns the parts of a machine that an engine cannot persist; empty if there are none.
 *
 * @param effects - Names of the effects that the definition implements.
 */
export function findMachineErrors(
  machine: AnyStateMachine,
  effects: readonly string[],
): readonly string[] {
  const errors: string[] = [];
  const declared = new Set(Object.keys(machine.implementations.actors));
  for (const name of effects) {
    if (!declared.has(name)) errors.push(`the machine declares no actor named ${name}`);
  }
  for (const name of declared) {
    if (!effects.includes(name)) errors.push(`the effect ${name} has no implementation`);
  }
  for (const node of walkNodes(machine.root)) {
    errors.push(...findInvokeErrors(node, declared), ...findActionErrors(machine, node));
    errors.push(...findNameErrors(node));
  }
  return errors;
}

/** Yields all states of a machine, parents before their children. */
export function* walkNodes(node: AnyStateNode): Generator<AnyStateNode> {
  yield node;
  for (const child of Object.values(node.states)) yield* walkNodes(child);
}

/** Names that XState derives from the path of a state must fit into store keys. */
function findNameErrors(node: AnyStateNode): string[] {
  const timers = [...node.transitions.keys()].filter((type) => type.startsWith('xstate.after.'));
  const names = [...timers, ...node.invoke.map(({ id }) => id)];
  return names
    .filter((name) => name.length > NAME_CHARS_MAX)
    .map((name) => `${name.slice(0, 40)}… in a state has ${name.length} characters; ${NAME_LIMIT}`);
}

const NAME_LIMIT = `the maximum for a timer or an effect is ${NAME_CHARS_MAX}`;

function findInvokeErrors(node: AnyStateNode, declared: ReadonlySet<string>): string[] {
  return node.invoke.flatMap((invoke) => {
    const src = typeof invoke.src === 'string' ? invoke.src : 'an inline actor';
    const named = declared.has(src)
      ? []
      : [`${node.id} invokes ${src}, which setup does not declare`];
    const free =
      invoke.systemId === undefined ? [] : [`${node.id} invokes ${src} with a system id`];
    return [...named, ...free];
  });
}

function findActionErrors(machine: AnyStateMachine, node: AnyStateNode): string[] {
  const transitions = [...node.transitions.values(), node.always ?? []].flat();
  const initial = node.type === 'compound' ? node.initial.actions : [];
  const actions = [
    ...node.entry,
    ...node.exit,
    ...initial,
    ...transitions.flatMap((t) => t.actions),
  ];
  return actions.flatMap((action) => {
    const type = actionType(machine, action);
    return PLAIN_ACTIONS.has(type)
      ? []
      : [`${node.id} has the action ${type}, which the engine cannot persist`];
  });
}

function actionType(machine: AnyStateMachine, action: unknown): string {
  if (typeof action === 'function') return getBuiltInType(action) ?? (action.name || 'inline');
  const name = typeof action === 'string' ? action : String((action as { type?: unknown }).type);
  const actions = machine.implementations.actions as Readonly<Record<string, unknown>>;
  return getBuiltInType(actions[name]) ?? name;
}

function getBuiltInType(action: unknown): string | undefined {
  if (typeof action !== 'function' || !('resolve' in action) || !('type' in action)) return;
  return String(action.type);
}
