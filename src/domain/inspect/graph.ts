/**
 * A machine as plain data for charts, path coverage and consoles. Ids are stable while the
 * definition is unchanged. The id of a state is its path joined by dots (`fulfilled.trying`, `''`
 * for the root). The id of a transition is `<source>|<event>|<index>`, where the index counts the
 * candidates for that event in that state from 0.
 */
export interface MachineGraph {
  readonly kind: string;
  readonly version: number;
  readonly title: string;
  /** Parents before children, children in definition order. */
  readonly states: readonly GraphState[];
  readonly transitions: readonly GraphTransition[];
}

/** The type of a state node in XState. */
export type GraphStateType = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';

/** A state of a {@link MachineGraph}. */
export interface GraphState {
  readonly id: string;
  /** Last part of the id; the machine id for the root. */
  readonly key: string;
  /** `null` for the root. */
  readonly parentId: string | null;
  readonly type: GraphStateType;
  readonly description: string;
  readonly tags: readonly string[];
  /** Initial child of a compound state. */
  readonly initialId: string | null;
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** Effects that run while the state is active. */
  readonly effects: readonly { readonly src: string; readonly childId: string }[];
}

/** The trigger of a transition: an external event, a delay, the end of an effect, or none. */
export type GraphTrigger = 'event' | 'after' | 'done' | 'error' | 'always';

/** A transition of a {@link MachineGraph}. */
export interface GraphTransition {
  readonly id: string;
  readonly sourceId: string;
  /** Empty if the transition does not change the state. */
  readonly targetIds: readonly string[];
  readonly trigger: GraphTrigger;
  /** Event type as sent by the engine; `''` for `always`. */
  readonly eventType: string;
  /** Chart label: `JOB.COMPLETED`, `after releaseWindow`, `done: fund`, `error: fund`. */
  readonly label: string;
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** Name of the delay, or milliseconds; only for `after`. */
  readonly delay: string | number | null;
  readonly reenters: boolean;
}
