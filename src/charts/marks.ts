import type { GraphTrigger } from '../domain/inspect/graph.ts';

/** SVG paths in a square of 10 by 10 pixels, drawn as strokes. */
const TRIGGER_MARKS: Readonly<Record<GraphTrigger, string>> = {
  event: 'M2 1.5 L7.5 5 L2 8.5',
  // A clock.
  after: 'M9.2 5 A4.2 4.2 0 1 1 0.8 5 A4.2 4.2 0 1 1 9.2 5 M5 2.4 V5 L6.8 6.4',
  done: 'M1 5.5 L4 8.5 L9 1.8',
  error: 'M1.5 1.5 L8.5 8.5 M8.5 1.5 L1.5 8.5',
  always: 'M1 1.5 L4.5 5 L1 8.5 M5 1.5 L8.5 5 L5 8.5',
};

/** Returns the mark of a trigger. */
export function findTriggerMark(trigger: GraphTrigger): string {
  return TRIGGER_MARKS[trigger];
}

/** The mark of an effect that runs while its state is active. */
export const EFFECT_MARK = 'M2 1 L9 5 L2 9 Z';
/** The mark before the name of a target. */
export const TARGET_MARK = 'M0.5 5 H9 M5.8 2 L9 5 L5.8 8';
/** The mark of an initial state: a dot and an arrow. */
export const INITIAL_MARK = 'M3 5 H10 M7.2 2.4 L10 5 L7.2 7.6';
/** The mark of a history state. */
export const HISTORY_MARK = 'M2 1 V9 M8 1 V9 M2 5 H8';
