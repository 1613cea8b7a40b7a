import type { EffectResult, Ev } from '../runtime/engine/types.ts';
import type { FaultName, TestStep } from './path.ts';

/** Observable state of a system under test. Absent fields are not compared. */
export interface Observed {
  /** State value as in XState. */
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
  /** Observable members of the context; the others are not compared. */
  readonly facets?: Readonly<Record<string, unknown>>;
  /** Messages emitted and sent since the start. The sends of a step precede its emits. */
  readonly messages?: readonly unknown[];
}

/** A timer that a path lets fire. */
export interface DueTimer {
  readonly timerId: string;
  /** How far to advance the clock. */
  readonly delayMs: number;
}

/** An effect that a path completes. */
export interface EndedEffect {
  readonly src: string;
  readonly childId: string;
}

/**
 * Injects a fault after a step. `step` is the last step. It is absent right after the start, where
 * only `kill_restart` is injected.
 */
export type Fault = (step: TestStep | undefined) => Promise<void>;

/**
 * Runs a path on a system under test. One driver runs one path. Every call resolves when the system
 * is idle.
 */
export interface Driver {
  start(input: unknown): Promise<void>;
  /** Sends an external event. */
  send(event: Ev): Promise<void>;
  /** Advances simulated time until the timer fires. */
  elapse(timer: DueTimer): Promise<void>;
  /**
   * Advances simulated time while no timer is due, in milliseconds. Paths with waits need it: they
   * show timers that fire early, that outlive their state or that are not restarted.
   */
  wait?(ms: number): Promise<void>;
  /** Completes a running effect. */
  settle(effect: EndedEffect, result: EffectResult): Promise<void>;
  observe(): Promise<Observed>;
  /** The faults that this driver can inject. */
  readonly faults?: Partial<Readonly<Record<FaultName, Fault>>>;
  close(): Promise<void>;
}
