import type { AnyStateNode } from 'xstate';
import type { StateConfig } from './config.ts';

/** One way to break a machine. */
export interface Change {
  readonly id: string;
  readonly about: string;
  readonly transitionIds: readonly string[];
  /** Breaks a copy of the configuration. False when there is nothing to break there. */
  apply(root: StateConfig): boolean;
}

/** The id of a state in the machine's graph, or a word for the root. */
export function placeOf({ path }: AnyStateNode): string {
  return path.length === 0 ? 'the root' : path.join('.');
}

/** The next state beside another one, in the order of the definition. */
export function nextBeside(node: AnyStateNode): AnyStateNode | undefined {
  const beside = Object.values(node.parent?.states ?? {}).filter(({ type }) => type !== 'history');
  const next = beside[(beside.indexOf(node) + 1) % beside.length];
  return next === node ? undefined : next;
}
