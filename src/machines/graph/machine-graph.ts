import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type {
  GraphState,
  GraphStateType,
  GraphTransition,
  GraphTrigger,
  MachineGraph,
} from '../../domain/inspect/graph.ts';

/** A machine with its listing data. */
export interface NamedMachine {
  readonly kind: string;
  readonly version: number;
  readonly title: string;
  readonly machine: AnyStateMachine;
}

type AnyTransition = AnyStateNode['initial'] | NonNullable<AnyStateNode['always']>[number];

/** Converts an XState machine to plain data. Inline parts are named `inline`. */
export function buildMachineGraph({ kind, version, title, machine }: NamedMachine): MachineGraph {
  const nodes = [...iterateNodes(machine.root)];
  return {
    kind,
    version,
    title,
    states: nodes.map(toGraphState),
    transitions: nodes.flatMap(listTransitions),
  };
}

/** Returns the id of a state in the graph: its path, joined by dots. */
export function stateIdOf(node: AnyStateNode): string {
  return node.path.join('.');
}

/** Returns the ids of all active states of a state value, parents first, without the root. */
export function activeStateIds(value: unknown, prefix = ''): readonly string[] {
  const idOf = (key: string): string => (prefix === '' ? key : `${prefix}.${key}`);
  if (typeof value === 'string') return [idOf(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    idOf(key),
    ...activeStateIds(inner, idOf(key)),
  ]);
}

/** Yields a state and all states below it, parents before children. */
export function* iterateNodes(node: AnyStateNode): Generator<AnyStateNode> {
  yield node;
  for (const child of Object.values(node.states)) yield* iterateNodes(child);
}

function toGraphState(node: AnyStateNode): GraphState {
  const initial = node.type === 'compound' ? node.initial.target[0] : undefined;
  return {
    id: stateIdOf(node),
    key: node.key,
    parentId: node.parent === undefined ? null : stateIdOf(node.parent),
    type: node.type satisfies GraphStateType,
    description: node.description ?? '',
    tags: node.tags,
    initialId: initial === undefined ? null : stateIdOf(initial),
    entry: node.entry.filter(isDeclaredAction).map(nameOf),
    exit: node.exit.filter(isDeclaredAction).map(nameOf),
    effects: node.invoke.map(({ src, id }) => ({ src: nameOf(src), childId: id })),
  };
}

/** Excludes the raise and cancel actions with which XState implements `after`. */
function isDeclaredAction(action: unknown): boolean {
  if (typeof action !== 'function') return true;
  const { event, sendId } = action as { readonly event?: unknown; readonly sendId?: unknown };
  const raised = (event ?? {}) as { readonly type?: unknown };
  return ![raised.type, sendId].some((id) => String(id).startsWith('xstate.after.'));
}

function listTransitions(node: AnyStateNode): GraphTransition[] {
  const byEvent = [...node.transitions.entries()];
  const always = node.always === undefined ? [] : [['', node.always] as const];
  return [...byEvent, ...always].flatMap(([eventType, candidates]) =>
    candidates.map((candidate, index) => toGraphTransition(node, { eventType, candidate, index })),
  );
}

interface Candidate {
  readonly eventType: string;
  readonly candidate: NonNullable<AnyTransition>;
  readonly index: number;
}

function toGraphTransition(
  node: AnyStateNode,
  { eventType, candidate, index }: Candidate,
): GraphTransition {
  const sourceId = stateIdOf(node);
  const delay = toGraphDelay(node.after.find((after) => after.eventType === eventType)?.delay);
  const trigger = classifyTrigger(eventType);
  return {
    id: `${sourceId}|${eventType}|${index}`,
    sourceId,
    targetIds: (candidate.target ?? []).map(stateIdOf),
    trigger,
    eventType,
    label: transitionLabel(trigger, eventType, delay),
    guard: candidate.guard === undefined ? null : nameOf(candidate.guard),
    actions: candidate.actions.map(nameOf),
    delay,
    reenters: candidate.reenter,
  };
}

const TRIGGERS: readonly (readonly [string, GraphTrigger])[] = [
  ['xstate.after.', 'after'],
  ['xstate.done.', 'done'],
  ['xstate.error.', 'error'],
];

function classifyTrigger(eventType: string): GraphTrigger {
  if (eventType === '') return 'always';
  return TRIGGERS.find(([prefix]) => eventType.startsWith(prefix))?.[1] ?? 'event';
}

function toGraphDelay(delay: unknown): GraphTransition['delay'] {
  if (delay === undefined) return null;
  return typeof delay === 'string' || typeof delay === 'number' ? delay : 'inline';
}

function transitionLabel(
  trigger: GraphTrigger,
  eventType: string,
  delay: GraphTransition['delay'],
): string {
  if (trigger === 'always') return 'always';
  if (trigger === 'after') return `after ${typeof delay === 'number' ? `${delay} ms` : delay}`;
  if (trigger === 'event') return eventType;
  // `xstate.done.actor.<child>` of effects, `xstate.done.state.<id>` of regions.
  const [, , , ...rest] = eventType.split('.');
  return `${trigger}: ${rest.join('.')}`;
}

function nameOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part === 'function') return part.name === '' ? 'inline' : part.name;
  const { type } = (part ?? {}) as { readonly type?: unknown };
  return typeof type === 'string' ? type : 'inline';
}
