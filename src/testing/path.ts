import type { EffectError, Ev } from '../runtime/engine/types.ts';

/** A possible step of an actor: an external event, time that passes, or the end of an effect. */
export type Move =
  | {
      readonly kind: 'event';
      readonly event: Ev;
      /** The event may follow the end of the actor, where it must change nothing. */
      readonly afterEnd?: true;
    }
  | {
      readonly kind: 'delay';
      readonly event: Ev;
      readonly timerId: string;
      /** How far the clock advances until the timer is due. */
      readonly delayMs: number;
    }
  | {
      /** Time passes and no timer is due. The event is a label only. */
      readonly kind: 'wait';
      readonly event: Ev;
      readonly waitMs: number;
      /** Time may pass after the end of the actor, where nothing may happen. */
      readonly afterEnd?: true;
    }
  | {
      readonly kind: 'effect_done';
      readonly event: Ev;
      readonly childId: string;
      readonly src: string;
      readonly output: unknown;
    }
  | {
      readonly kind: 'effect_error';
      readonly event: Ev;
      readonly childId: string;
      readonly src: string;
      readonly error: EffectError;
    };

/** State of the pure model, with which a system under test is compared. */
export interface Standing {
  /** State value as in XState. */
  readonly value: unknown;
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** Active states, parents first, with graph ids. */
  readonly stateIds: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  /** Pending timers, by due time. */
  readonly timers: readonly { readonly timerId: string; readonly dueInMs: number }[];
  /** Running effects, by child id. */
  readonly effects: readonly {
    readonly childId: string;
    readonly src: string;
    readonly input: unknown;
  }[];
  /** Messages emitted and sent since the start, in order. */
  readonly messages: readonly unknown[];
}

/** A fault between two steps. No fault changes the state of the actor. */
export type FaultName =
  /** The process is killed and restarted. */
  | 'kill_restart'
  /** The response to the step is lost, and the sender repeats it with the same key. */
  | 'lost_reply'
  /** The message of the step is delivered again. */
  | 'duplicate'
  /** A result or timer that the step made obsolete arrives late. */
  | 'delay';

/** A step of a path and the state of the model after it. */
export type TestStep = Move & {
  /** All transitions taken, in order; empty if the machine ignores the step. */
  readonly transitionIds: readonly string[];
  readonly stateIds: { readonly before: readonly string[]; readonly after: readonly string[] };
  readonly after: Standing;
  /** Faults injected after the step, in order. */
  readonly faults?: readonly FaultName[];
};

/** A path through a machine, with the state of the model at every step. */
export interface TestPath {
  /** Unique in its set and stable across runs. */
  readonly id: string;
  readonly machineId: string;
  /** Name of the input among several; empty for a single input. */
  readonly inputName: string;
  readonly input: unknown;
  readonly begin: {
    readonly transitionIds: readonly string[];
    readonly after: Standing;
    readonly faults?: readonly FaultName[];
  };
  readonly steps: readonly TestStep[];
  /** Active states at the end. */
  readonly stateIds: readonly string[];
  /** The seed of a random walk. */
  readonly seed?: number;
}

/** State of the model. */
export interface ModelView<Context = Standing['context']>
  extends Pick<Standing, 'value' | 'status' | 'timers' | 'effects'> {
  readonly context: Context;
}

/** View for the functions of a plan, which declare the context of their machine. */
export type PlanView = ModelView<never>;

/** Payloads of an event without its type: a list, or a function of the model state. */
export type Payloads =
  | readonly Readonly<Record<string, unknown>>[]
  | ((view: PlanView) => readonly Readonly<Record<string, unknown>>[]);

/** A running effect that can be completed. */
export type OpenEffect = Standing['effects'][number];

/** Possible ends of an effect. An empty list means never. */
export interface EffectEnds {
  /** Default: one `null`. */
  readonly done?: readonly unknown[] | ((effect: OpenEffect, view: PlanView) => readonly unknown[]);
  /** Default: one error without a code. */
  readonly error?:
    | readonly EffectError[]
    | ((effect: OpenEffect, view: PlanView) => readonly EffectError[]);
}

/** The kind of paths to create; see `pathsOf`. */
export type PathChoice = 'transitions' | 'shortest' | 'simple' | 'random';

/** Inputs, payloads and effect results that a machine does not define itself. */
export interface PathPlan {
  readonly input?: unknown;
  /** Several named inputs instead of one. Their paths form one set. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Payload variants by event type. Default: one empty payload. */
  readonly events?: Readonly<Record<string, Payloads>>;
  /** Ends of effects, by their name in `setup({actors})`. */
  readonly effects?: Readonly<Record<string, EffectEnds>>;
  /**
   * Selects the parts of the context that distinguish situations, besides state, timers and
   * effects. By default, situations differ if their possible transitions differ; if that leaves
   * transitions unreached, more and more different contexts are kept apart.
   */
  readonly facets?: (context: never, view: PlanView) => unknown;
  /** Whether paths end here. */
  readonly stopWhen?: (view: PlanView) => boolean;
}

/** Options for creating the paths of a machine. */
export interface PathOptions extends PathPlan {
  readonly how: PathChoice;
  /** Seed of random walks, a whole number. Default 1. */
  readonly seed?: number;
  /** Maximum number of steps of a path. Default 30 for random walks, otherwise 200. */
  readonly lengthMax?: number;
  /**
   * Number of random walks (default 20), or else the maximum number of paths (default 10,000; more
   * is an error).
   */
  readonly countMax?: number;
  /** Maximum number of situations of a search; more is an error. Default 5,000. */
  readonly situationsMax?: number;
  /**
   * Which ignored steps to include: events rejected by a guard (default), all events including
   * those that the state does not name, or none. `everywhere` adds to `all` the events and waits
   * after the end of the actor, in random walks.
   */
  readonly ignored?: 'none' | 'guarded' | 'all' | 'everywhere';
  /**
   * `due` (default): time advances to due times only. `around`: also to 1 ms before and after them,
   * and past old ones; the driver needs `wait`.
   */
  readonly time?: 'due' | 'around';
}

/**
 * What cut a search short: a limit of the options, `contexts` that were not told apart, `facets`
 * that merged different contexts, `time` between the due times of two timers, or `random` walks.
 */
export type SearchBound =
  | 'situationsMax'
  | 'lengthMax'
  | 'contexts'
  | 'facets'
  | 'stopWhen'
  | 'time'
  | 'random';

/** Paths with the transitions that they reach and miss. */
export interface PathSet {
  readonly paths: readonly TestPath[];
  /** All transitions of the machine, in graph order. */
  readonly transitionIds: readonly string[];
  /** Transitions that the paths cover. */
  readonly coveredIds: readonly string[];
  /** Transitions that the search did not reach. */
  readonly unreachedIds: readonly string[];
  /**
   * What cut the search short. If empty, no path can reach `unreachedIds` with these inputs,
   * payloads and effect results. Otherwise they are not reached within these bounds.
   */
  readonly bounds: readonly SearchBound[];
  /** Descriptions of the moves that made the machine throw. They are in no path. */
  readonly poisons: readonly string[];
}
