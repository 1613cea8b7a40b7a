import type { AnyMachineSnapshot } from 'xstate';
import type { Ev } from './types.ts';

/** A timer that a step sets. */
export interface NewTimer {
  /** `undefined` for a raise without an id, which gets its name later. */
  readonly timerId: string | undefined;
  /** Milliseconds since 1970. */
  readonly due: number;
  readonly event: Ev;
}

/** A timer with its name and its order among the timers of its actor. */
export interface NamedTimer extends NewTimer {
  readonly timerId: string;
  readonly order: number;
}

/** An effect or a child machine that a step starts. */
export interface NewEffect {
  readonly childId: string;
  readonly src: string;
  readonly input: unknown;
  /** Present if the machine wants its snapshots. */
  readonly sync?: true;
  /** Its name in the tree of its root actor. */
  readonly systemId?: string;
}

/** A function of the user that runs once the step is on disk. */
export interface ActionCall {
  /** Its name in `setup({actions})`, or its place in the machine. */
  readonly name: string;
  /** Present if it was created while the step ran: its number among those of the step. */
  readonly closure?: number;
  readonly params?: unknown;
  readonly event: Ev;
  /** The context that the action saw. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** What a step tells others to do, in order. Children are named by their ids in the machine. */
export type StepSend =
  | { readonly to: string; readonly event: Ev }
  | { readonly to: string; readonly create: { readonly kind: string; readonly input: unknown } }
  | { readonly self: true; readonly event: Ev }
  | { readonly parent: true; readonly event: Ev }
  | { readonly child: string; readonly event: Ev }
  /** An effect of any actor, by the token of its row. */
  | { readonly effectToken: string; readonly event: Ev }
  /** Starts the child machine whose effect the step starts. */
  | { readonly start: string }
  | { readonly stop: string }
  | { readonly call: ActionCall };

/** What a machine logs with XState's `log`. */
export interface LogEntry {
  readonly label: string | undefined;
  readonly value: unknown;
}

/** What one event changes in an actor. Apply removals before additions. */
export interface StepResult {
  readonly next: AnyMachineSnapshot;
  /** `false` if no transition handled the event. */
  readonly changed: boolean;
  readonly timersSet: readonly NewTimer[];
  readonly timersCancelled: readonly string[];
  readonly effectsStarted: readonly NewEffect[];
  readonly effectsStopped: readonly string[];
  readonly sends: readonly StepSend[];
  readonly emits: readonly Ev[];
  readonly logs: readonly LogEntry[];
}
