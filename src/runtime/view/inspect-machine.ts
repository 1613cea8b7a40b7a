import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';

/** XState action types whose effects are stored entirely in rows. */
export const PLAIN_ACTIONS = new Set([
  'xstate.assign',
  'xstate.raise',
  'xstate.cancel',
  'xstate.spawnChild',
  'xstate.stopChild',
  'xstate.emit',
  'xstate.enqueueActions',
  'xstate.sendTo',
  'xstate.log',
]);

/**
 * Returns the parts of a machine that an engine cannot persist; empty if there are none.
 *
 * @param implemented - Names of the effects and of the child machines that the definition has.
 */
export function findMachineErrors(
  machine: AnyStateMachine,
  {
    effects,
    children,
  }: { readonly effects: readonly string[]; readonly children: readonly string[] },
): readonly string[] {
  const errors: string[] = [];
  const known = new Set([...effects, ...children]);
  const declared = new Set(Object.keys(machine.implementations.actors));
  for (const name of known) {
    if (!declared.has(name) && !name.startsWith(INLINE_PREFIX))
      errors.push(`the machine declares no actor named ${name}`);
  }
  for (const name of declared) {
    if (!known.has(name)) errors.push(`${name} is ${UNSUPPORTED_ACTOR}; implement it in effects`);
  }
  for (const node of walkNodes(machine.root)) {
    errors.push(...findInvokeErrors(node, known), ...findActionErrors(machine, node));
    errors.push(...findNameErrors(node));
  }
  return errors;
}

/** Yields all states of a machine, parents before their children. */
export function* walkNodes(node: AnyStateNode): Generator<AnyStateNode> {
  yield node;
  for (const child of Object.values(node.states)) yield* walkNodes(child);
}

const UNSUPPORTED_ACTOR = 'no promise, callback, observable or machine';

/** XState names an actor that is written inside `invoke` after its state. */
const INLINE_PREFIX = 'xstate.invoke.';

/** Names that XState derives from the path of a state must fit into store keys. */
function findNameErrors(node: AnyStateNode): string[] {
  const timers = [...node.transitions.keys()].filter((type) => type.startsWith('xstate.after.'));
  const names = [...timers, ...node.invoke.map(({ id }) => id)];
  return names
    .filter((name) => name.length > NAME_CHARS_MAX)
    .map((name) => `${name.slice(0, 40)}… in a state has ${name.length} characters; ${NAME_LIMIT}`);
}

const NAME_LIMIT = `the maximum for a timer or an effect is ${NAME_CHARS_MAX}`;

function findInvokeErrors(node: AnyStateNode, known: ReadonlySet<string>): string[] {
  return node.invoke.flatMap((invoke) => {
    // XState names every invoked actor, also one that is written inside `invoke`.
    const src = invoke.src as string;
    const named = known.has(src) ? [] : [`${node.id} invokes ${describeMissing(src)}`];
    const problem = findSystemIdProblem(invoke.systemId);
    return [...named, ...(problem === '' ? [] : [`${node.id} invokes ${src} with ${problem}`])];
  });
}

function describeMissing(src: string): string {
  return src.startsWith(INLINE_PREFIX)
    ? `an inline actor that is ${UNSUPPORTED_ACTOR}; declare it in setup and in effects`
    : `${src}, which setup does not declare`;
}

function findActionErrors(machine: AnyStateMachine, node: AnyStateNode): string[] {
  const declared = machine.implementations.actions as Readonly<Record<string, unknown>>;
  return listPlacedActions(node).flatMap(([place, action]) => {
    const run = typeof action === 'function' ? action : declared[actionName(action)];
    const problem = findActionProblem(run);
    return problem === undefined ? [] : [`${node.id}/${place} ${problem(actionName(action))}`];
  });
}

function actionName(action: unknown): string {
  if (typeof action === 'function') return action.name;
  return typeof action === 'string' ? action : String((action as { type?: unknown }).type);
}

function findActionProblem(run: unknown): ((name: string) => string) | undefined {
  if (typeof run !== 'function')
    return (name) => `has the action ${name}, which setup does not declare`;
  if (!('resolve' in run)) return undefined;
  const { type, src, systemId } = run as unknown as Readonly<Record<string, unknown>>;
  if (!PLAIN_ACTIONS.has(String(type))) {
    return () => `has the action ${String(type)}, which the engine cannot persist`;
  }
  if (type !== 'xstate.spawnChild') return undefined;
  if (typeof src !== 'string') return () => 'spawns an actor without a name; declare it in setup';
  const problem = findSystemIdProblem(systemId);
  return problem === '' ? undefined : () => `spawns ${src} with ${problem}`;
}

function findSystemIdProblem(systemId: unknown): string {
  if (systemId === undefined || isName(systemId)) return '';
  const received = JSON.stringify(systemId).slice(0, 40);
  return `the system id ${received}; it must have 1 to ${NAME_CHARS_MAX} printable characters`;
}

/** Returns the actions of a state with their places, such as `on/PAY/0/1`. */
export function listPlacedActions(node: AnyStateNode): readonly (readonly [string, unknown])[] {
  const at = (place: string, actions: readonly unknown[]) =>
    actions.map((action, index) => [`${place}/${index}`, action] as const);
  const initial = node.type === 'compound' ? node.initial.actions : [];
  const candidates = [...node.transitions, ['', node.always ?? []] as const];
  return [
    ...at('entry', node.entry),
    ...at('exit', node.exit),
    ...at('initial', initial),
    ...candidates.flatMap(([event, transitions]) =>
      transitions.flatMap(({ actions }, index) => at(`on/${event}/${index}`, actions)),
    ),
  ];
}
