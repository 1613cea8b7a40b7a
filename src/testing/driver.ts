import type { EffectResult, Ev } from '../runtime/engine/types.ts';
import type { FaultName, TestStep } from './path.ts';

/** What can be seen of a system under test. What is left out is not compared. */
export interface Observed {
  /** State value as XState writes it. */
  readonly value: unknown;
  readonly status: string;
  /** Ids of pending timers, in any order. */
  readonly timers?: readonly string[];
  /** Milliseconds until each timer is due. */
  readonly dueInMs?: Readonly<Record<string, number>>;
  /** Child ids of running effects, in any order. */
  readonly effects?: readonly string[];
  /** The whole context. */
  readonly context?: unknown;
  /** Members of the context that can be seen; the others are not compared. */
  readonly facets?: Readonly<Record<string, unknown>>;
  /** What the machine emitted and sent since the beginning: sends of a step before its emits. */
  readonly messages?: readonly unknown[];
}

/** A timer that a path lets pass. */
export interface DueTimer {
  readonly timerId: string;
  /** How far the clock is to move. */
  readonly delayMs: number;
}

/** An effect that a path brings to its end. */
export interface EndedEffect {
  readonly src: string;
  readonly childId: string;
}

/**
 * Injects a fault after a step. `step` is what was done last; it is absent right after the start,
 * where only `kill_restart` is asked for.
 */
export type Fault = (step: TestStep | undefined) => Promise<void>;

/**
 * Plays a path on a system under test. One driver plays one path. Every call comes back when the
 * system has come to rest.
 */
export interface Driver {
  start(input: unknown): Promise<void>;
  /** Sends an outside event. */
  send(event: Ev): Promise<void>;
  /** Lets simulated time pass until the timer fires. */
  elapse(timer: DueTimer): Promise<void>;
  /** Ends a running effect. */
  settle(effect: EndedEffect, result: EffectResult): Promise<void>;
  observe(): Promise<Observed>;
  /** The faults that this driver can inject. */
  readonly faults?: Partial<Readonly<Record<FaultName, Fault>>>;
  close(): Promise<void>;
}
