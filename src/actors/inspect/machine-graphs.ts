import type { GraphTransition } from '../../domain/inspect/graph.ts';
import type { PossibleEvent } from '../../domain/inspect/wire.ts';
import { buildMachineGraph, type NamedMachine } from '../../machines/graph/machine-graph.ts';

/** Machine graphs by kind, built on first use. */
export class MachineGraphs {
  readonly #machines: ReadonlyMap<string, NamedMachine>;
  readonly #transitions = new Map<string, ReadonlyMap<string, GraphTransition>>();

  constructor(machines: readonly NamedMachine[]) {
    this.#machines = new Map(machines.map((machine) => [machine.kind, machine]));
  }

  /** Returns the machine as XState JSON; `undefined` for an unregistered kind. */
  definitionOf(kind: string): string | undefined {
    const named = this.#machines.get(kind);
    return named === undefined ? undefined : JSON.stringify(named.machine.definition);
  }

  /** Describes transitions by id. Omits `always` transitions, because nobody can send them. */
  possible(kind: string, transitionIds: readonly string[]): readonly PossibleEvent[] {
    const known = this.#transitionsOf(kind);
    return transitionIds
      .map((id) => toPossibleEvent(id, known.get(id)))
      .filter(({ trigger }) => trigger !== 'always');
  }

  #transitionsOf(kind: string): ReadonlyMap<string, GraphTransition> {
    const made = this.#transitions.get(kind);
    if (made !== undefined) return made;
    const named = this.#machines.get(kind);
    if (named === undefined) return NO_TRANSITIONS;
    const found = new Map(buildMachineGraph(named).transitions.map((each) => [each.id, each]));
    this.#transitions.set(kind, found);
    return found;
  }
}

const NO_TRANSITIONS: ReadonlyMap<string, GraphTransition> = new Map();

function toPossibleEvent(transitionId: string, known: GraphTransition | undefined): PossibleEvent {
  if (known !== undefined) {
    const { eventType, trigger, label, guard, targetIds } = known;
    return { transitionId, eventType, trigger, label, guard, targetIds };
  }
  // For an unregistered kind, only the id is known.
  const [, eventType = ''] = transitionId.split('|');
  const trigger = eventType === '' ? 'always' : 'event';
  return { transitionId, eventType, trigger, label: eventType, guard: null, targetIds: [] };
}
