import { type AnyStateMachine, type AnyStateNode, enqueueActions } from 'xstate';
import { iterateNodes } from '../machines/graph/machine-graph.ts';
import { MICROSTEPS_MAX } from '../runtime/engine/define.ts';
import { inertScope } from '../runtime/engine/scope.ts';
import { type Definition, LATER } from '../runtime/engine/types.ts';
import { PLAIN_ACTIONS } from '../runtime/view/inspect-machine.ts';

/** A side-effect-free machine that reports its transitions. */
export interface ModelMachine {
  readonly definition: Definition;
  /** Runs `work` and returns the ids of all transitions taken in it, in order. */
  record<T>(work: () => T): { readonly result: T; readonly transitionIds: readonly string[] };
}

/** Copies a machine without its side effects: custom actions, sends and logs. */
export function createModelMachine(machine: AnyStateMachine): ModelMachine {
  const copy = copyWithoutSideEffects(machine);
  const names = new Set(Object.keys(copy.implementations.actors));
  for (const node of iterateNodes(copy.root)) {
    for (const { src } of node.invoke) if (typeof src === 'string') names.add(src);
  }
  const later = { run: async () => LATER };
  const definition: Definition = {
    kind: machine.id,
    version: 1,
    machine: copy,
    effects: Object.fromEntries([...names].map((name) => [name, later])),
    children: {},
    migrations: [],
  };
  let takenIds: string[] = [];
  inertScope(copy).system.inspect((inspection) => {
    if (inspection.type !== '@xstate.microstep') return;
    for (const transition of inspection._transitions as readonly Transition[]) {
      const id = findTransitionId(transition);
      if (id !== undefined) takenIds.push(id);
    }
  });
  return {
    definition,
    record: (work) => {
      takenIds = [];
      const result = work();
      return { result, transitionIds: takenIds };
    },
  };
}

/** A transition in XState. */
type Transition = NonNullable<AnyStateNode['always']>[number];

/**
 * Returns the id of a transition in the machine's graph; `undefined` for the initial transition.
 */
function findTransitionId(transition: Transition): string | undefined {
  const { source, eventType } = transition as {
    readonly source: AnyStateNode;
    readonly eventType: string;
  };
  const candidates = eventType === '' ? source.always : source.transitions.get(eventType);
  const index = candidates?.indexOf(transition) ?? -1;
  return index < 0 ? undefined : `${source.path.join('.')}|${eventType}|${index}`;
}

function copyWithoutSideEffects(machine: AnyStateMachine): AnyStateMachine {
  const customActions = machine.implementations.actions as Readonly<Record<string, unknown>>;
  const nothing = enqueueActions(() => undefined);
  const silenced = Object.keys(customActions).filter((name) => !isPlainAction(customActions[name]));
  const copy: AnyStateMachine = machine.provide({
    actions: Object.fromEntries(silenced.map((name) => [name, nothing])),
  } as never);
  copy.options = { ...copy.options, maxIterations: MICROSTEPS_MAX };
  const keep = (actions: readonly unknown[]): never =>
    actions.filter(
      (action) => isPlainAction(action) || isNamedAction(action, customActions),
    ) as never;
  for (const node of iterateNodes(copy.root)) {
    node.entry = keep(node.entry);
    node.exit = keep(node.exit);
    if (node.type === 'compound') node.initial.actions = keep(node.initial.actions);
    const transitions = [...node.transitions.values(), node.always ?? []].flat();
    for (const transition of transitions) transition.actions = keep(transition.actions);
  }
  return copy;
}

function isPlainAction(action: unknown): boolean {
  if (typeof action !== 'function' || !('resolve' in action) || !('type' in action)) return false;
  return PLAIN_ACTIONS.has(String(action.type));
}

function isNamedAction(action: unknown, own: Readonly<Record<string, unknown>>): boolean {
  const name =
    typeof action === 'string' ? action : (action as { readonly type?: unknown } | null)?.type;
  return typeof action !== 'function' && typeof name === 'string' && name in own;
}
