/**
 * A machine as plain data: what charts draw, paths cover and consoles light. Ids are stable while
 * the definition is: a state's id is its path joined by dots (`fulfilled.trying`, `''` for the
 * root), a transition's is `<source>|<event>|<index>`, the index counting the candidates of that
 * event in that state from 0.
 */
export interface MachineGraph {
  readonly kind: string;
  readonly version: number;
  readonly title: string;
  /** Parents before their children, children in the order of the definition. */
  readonly states: readonly GraphState[];
  readonly transitions: readonly GraphTransition[];
}

/** What a state is made of, as XState names it. */
export type GraphStateType = 'atomic' | 'compound' | 'parallel' | 'final' | 'history';

/** One state of a {@link MachineGraph}. */
export interface GraphState {
  readonly id: string;
  /** Last part of the id; the machine's own id at the root. */
  readonly key: string;
  /** `null` at the root. */
  readonly parentId: string | null;
  readonly type: GraphStateType;
  readonly description: string;
  readonly tags: readonly string[];
  /** The child that is entered first, of compound states. */
  readonly initialId: string | null;
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  /** Effects that run while the state is active. */
  readonly effects: readonly { readonly src: string; readonly childId: string }[];
}

/** Why a transition is taken: an outside event, time, an effect's end, or at once. */
export type GraphTrigger = 'event' | 'after' | 'done' | 'error' | 'always';

/** One transition of a {@link MachineGraph}. */
export interface GraphTransition {
  readonly id: string;
  readonly sourceId: string;
  /** Empty when the state stays as it is. */
  readonly targetIds: readonly string[];
  readonly trigger: GraphTrigger;
  /** The event's type as the engine sends it; `''` of `always`. */
  readonly eventType: string;
  /** What a chart writes: `JOB.COMPLETED`, `after releaseWindow`, `done: fund`, `error: fund`. */
  readonly label: string;
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** Name of the delay, or milliseconds; of `after` alone. */
  readonly delay: string | number | null;
  readonly reenters: boolean;
}
