import { type AnyStateMachine, type AnyStateNode, createActor, fromPromise } from 'xstate';
import type { Ev } from '../../src/runtime/types.ts';

/** States and transitions by name, such as `unknown.waiting` and `settled on WORK.DONE #0`. */
export interface Covered {
  readonly states: ReadonlySet<string>;
  readonly transitions: ReadonlySet<string>;
}

/** Everything that a machine has. Eventless transitions are named `… on always #n`. */
export function everythingOf(machine: AnyStateMachine): Covered {
  const nodes = [...nodesBelow(machine.root)];
  return {
    states: new Set(nodes.map(nameOf)),
    transitions: new Set(
      [machine.root, ...nodes].flatMap((node) => candidates(node).map(transitionName)),
    ),
  };
}

/** What a list of events goes through from the beginning, every micro step of it. */
export function coverageOf(
  machine: AnyStateMachine,
  input: unknown,
  events: readonly Ev[],
): Covered {
  const states = new Set<string>();
  const transitions = new Set<string>();
  const enter = (snapshot: object): void => {
    const { _nodes: nodes = [] } = snapshot as { readonly _nodes?: readonly AnyStateNode[] };
    for (const node of nodes) if (node.parent !== undefined) states.add(nameOf(node));
  };
  const actor = createActor(inert(machine), {
    input: input as never,
    clock: { setTimeout: () => 0, clearTimeout: () => undefined },
    inspect: (seen) => {
      if (seen.type !== '@xstate.microstep') return;
      for (const one of seen._transitions as readonly Transition[]) {
        if (one.eventType !== 'xstate.init') transitions.add(transitionName(one));
      }
      enter(seen.snapshot);
    },
  });
  actor.start();
  enter(actor.getSnapshot());
  for (const event of events) actor.send(event as never);
  actor.stop();
  return { states, transitions };
}

/** Puts several walks together. */
export function together(walks: readonly Covered[]): Covered {
  return {
    states: new Set(walks.flatMap(({ states }) => [...states])),
    transitions: new Set(walks.flatMap(({ transitions }) => [...transitions])),
  };
}

/** What is missing in a walk, without what is known to be out of reach. */
export function missing(all: Covered, seen: Covered, beyond: readonly string[]): string[] {
  return [...all.states, ...all.transitions].filter(
    (name) => !seen.states.has(name) && !seen.transitions.has(name) && !beyond.includes(name),
  );
}

interface Transition {
  readonly source: AnyStateNode;
  readonly eventType: string;
}

/** Effects that never end: the events of the walk say what they answer. */
function inert(machine: AnyStateMachine): AnyStateMachine {
  const names = Object.keys(machine.implementations.actors);
  const never = fromPromise(() => new Promise<never>(() => undefined));
  return machine.provide({ actors: Object.fromEntries(names.map((name) => [name, never])) });
}

function* nodesBelow(node: AnyStateNode): Generator<AnyStateNode> {
  for (const child of Object.values(node.states) as AnyStateNode[]) {
    yield child;
    yield* nodesBelow(child);
  }
}

function candidates(node: AnyStateNode): readonly Transition[] {
  const always = (node.always ?? []) as readonly Transition[];
  return [...always, ...[...node.transitions.values()].flat()] as readonly Transition[];
}

function transitionName(transition: Transition): string {
  const { source, eventType } = transition;
  const same = candidates(source).filter((one) => one.eventType === eventType);
  const event = eventType === '' ? 'always' : shortType(eventType);
  return `${nameOf(source)} on ${event} #${same.indexOf(transition)}`;
}

function shortType(type: string): string {
  const [, kind, first, second] = type.split('.');
  if (!type.startsWith('xstate.')) return type;
  return kind === 'after' ? `after ${first}` : `${kind} ${second}`;
}

function nameOf(node: AnyStateNode): string {
  return node.path.length === 0 ? '(root)' : node.path.join('.');
}
