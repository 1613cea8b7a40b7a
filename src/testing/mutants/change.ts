import type { AnyStateNode } from 'xstate';
import type { StateConfig } from './config.ts';

/** A mutation of a machine. */
export interface Change {
  readonly id: string;
  readonly about: string;
  readonly transitionIds: readonly string[];
  /** Applies the mutation to a copy of the configuration. False if there is nothing to change. */
  apply(root: StateConfig): boolean;
}

/** Returns the graph id of a state, or a description of the root. */
export function describePlace({ path }: AnyStateNode): string {
  return path.length === 0 ? 'the root' : path.join('.');
}

/** Returns the next sibling of a state, in definition order. */
export function nextSibling(node: AnyStateNode): AnyStateNode | undefined {
  const beside = Object.values(node.parent?.states ?? {}).filter(({ type }) => type !== 'history');
  const next = beside[(beside.indexOf(node) + 1) % beside.length];
  return next === node ? undefined : next;
}
