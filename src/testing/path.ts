import type { EffectError, Ev } from '../runtime/engine/types.ts';

/** Something that may happen to an actor: an event from outside, time, or the end of an effect. */
export type Move =
  | { readonly kind: 'event'; readonly event: Ev }
  | {
      readonly kind: 'delay';
      readonly event: Ev;
      readonly timerId: string;
      /** How far the clock moves until the timer is due. */
      readonly delayMs: number;
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

/** Where the pure model stands: what a system under test is compared with. */
export interface Standing {
  /** State value as XState writes it. */
  readonly value: unknown;
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  /** Active states, parents first; ids as in the machine's graph. */
  readonly stateIds: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  /** Pending timers, the one that is due first at the front. */
  readonly timers: readonly { readonly timerId: string; readonly dueInMs: number }[];
  /** Running effects, by child id. */
  readonly effects: readonly {
    readonly childId: string;
    readonly src: string;
    readonly input: unknown;
  }[];
  /** What the machine emitted and sent since the beginning, in order. */
  readonly messages: readonly unknown[];
}

/** What may go wrong between two steps. None of them changes where the actor stands. */
export type FaultName =
  /** The process is killed and started again. */
  | 'kill_restart'
  /** The answer to the step is lost, and the sender repeats it with the same key. */
  | 'lost_reply'
  /** What the step delivered is delivered once more. */
  | 'duplicate'
  /** What the step made pointless (a result, a timer) comes all the same, late. */
  | 'delay';

/** One step of a path: what happens, and where the model stands then. */
export type TestStep = Move & {
  /** Every transition that is taken, in order; empty when the machine takes no notice. */
  readonly transitionIds: readonly string[];
  readonly stateIds: { readonly before: readonly string[]; readonly after: readonly string[] };
  readonly after: Standing;
  /** Faults that are injected after the step, in order. */
  readonly faults?: readonly FaultName[];
};

/** A way through a machine, with what the model says at every step of it. */
export interface TestPath {
  /** Unique in its set, and the same on every run. */
  readonly id: string;
  /** Id of the machine. */
  readonly machineId: string;
  /** Name of the input among those that were given; empty when there is one. */
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

/** The model's state as the functions of {@link PathOptions} see it. */
export type ModelView = Pick<Standing, 'value' | 'status' | 'context' | 'timers' | 'effects'>;

/** Payloads of an event, its type left out: a list, or a function of where the model stands. */
export type Payloads =
  | readonly Readonly<Record<string, unknown>>[]
  | ((view: ModelView) => readonly Readonly<Record<string, unknown>>[]);

/** A running effect whose end is to be chosen. */
export type OpenEffect = Standing['effects'][number];

/** How an effect may end. An empty list means that it never ends so. */
export interface EffectEnds {
  /** Default: one `null`. */
  readonly done?:
    | readonly unknown[]
    | ((effect: OpenEffect, view: ModelView) => readonly unknown[]);
  /** Default: one error without a code. */
  readonly error?:
    | readonly EffectError[]
    | ((effect: OpenEffect, view: ModelView) => readonly EffectError[]);
}

/** Which paths are wanted; see `pathsOf`. */
export type PathChoice = 'transitions' | 'shortest' | 'simple' | 'random';

/** What may happen to a machine, as far as the machine itself does not say it. */
export interface PathPlan {
  readonly input?: unknown;
  /** Several inputs by name, in place of one: their paths stand in one set. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Payload variants by event type. Default: one empty payload. */
  readonly events?: Readonly<Record<string, Payloads>>;
  /** How effects end, by their name in `setup({actors})`. */
  readonly effects?: Readonly<Record<string, EffectEnds>>;
  /**
   * What of a context tells situations apart, beside state, timers and effects. Without it two
   * situations differ when one of them takes other transitions than the other.
   */
  readonly facets?: (context: never, view: ModelView) => unknown;
  /** True where no path should go on. */
  readonly stopWhen?: (view: ModelView) => boolean;
}

/** How a machine's paths are made. */
export interface PathOptions extends PathPlan {
  readonly how: PathChoice;
  /** Whole number that decides random walks. Default 1. */
  readonly seed?: number;
  /** Steps of a path, at most; longer ways are not walked. Default 30 of random walks, else 200. */
  readonly lengthMax?: number;
  /** Paths, at most; default 20 random walks (exactly), else 10,000 (more is an error). */
  readonly countMax?: number;
  /** Situations that a search tells apart, at most; more is an error. Default 5,000. */
  readonly situationsMax?: number;
  /**
   * Steps of which the machine takes no notice: events that a guard refuses (default), also those
   * that the state does not name, or none.
   */
  readonly ignored?: 'none' | 'guarded' | 'all';
}

/** Paths with what they reach and what they cannot. */
export interface PathSet {
  readonly paths: readonly TestPath[];
  /** Transitions of the machine, in the order of its graph. */
  readonly transitionIds: readonly string[];
  /** Those that the paths go through. */
  readonly coveredIds: readonly string[];
  /**
   * Those that no way leads through with these inputs, payloads and ends of effects; after random
   * walks, those that none of them took.
   */
  readonly unreachedIds: readonly string[];
  /** Moves that made the machine throw, in words; they are in no path. */
  readonly poisons: readonly string[];
}
