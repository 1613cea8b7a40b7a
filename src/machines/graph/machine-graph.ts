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
    label: transitionLabel(node, { trigger, eventType, delay }),
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
  node: AnyStateNode,
  { trigger, eventType, delay }: Pick<GraphTransition, 'trigger' | 'eventType' | 'delay'>,
): string {
  if (trigger === 'always') return 'always';
  if (trigger === 'after') return `after ${typeof delay === 'number' ? formatDelay(delay) : delay}`;
  if (trigger === 'event') return eventType;
  // `xstate.done.actor.<child>` of effects, `xstate.done.state.<id>` of regions.
  const [, , , ...rest] = eventType.split('.');
  const childId = rest.join('.');
  return `${trigger}: ${childName(node, childId)}`;
}

/** An invoked actor without an id of its own is named after its machine and its state. */
function childName(node: AnyStateNode, childId: string): string {
  if (!DEFAULT_CHILD_ID.test(childId)) return childId;
  const src = nameOf(node.invoke.find(({ id }) => id === childId)?.src ?? '');
  const isInline = src === '' || src.startsWith(INLINE_SOURCE);
  return isInline ? childId.replace(DEFAULT_CHILD_ID, '') : src;
}

/** Name that XState gives an actor logic inside `invoke`. */
const INLINE_SOURCE = 'xstate.invoke.';

const DEFAULT_CHILD_ID = /^\d+\./;
const DELAY_UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Writes milliseconds in the largest unit that gives a whole number. */
function formatDelay(ms: number): string {
  const unit = DELAY_UNITS.find(([, size]) => ms > 0 && ms % size === 0);
  return unit === undefined ? `${ms} ms` : `${ms / unit[1]} ${unit[0]}`;
}

function nameOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part === 'function') return part.name === '' ? 'inline' : part.name;
  const { type } = (part ?? {}) as { readonly type?: unknown };
  return typeof type === 'string' ? type : 'inline';
}
