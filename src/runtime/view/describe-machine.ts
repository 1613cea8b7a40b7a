import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { listPlacedActions, walkNodes } from './inspect-machine.ts';

/** Maximum differences that a text names. */
const DIFFERENCES_MAX = 6;

/**
 * Describes a machine as lines: its states, transitions, actors and actions, by name. Two machines
 * with equal lines can still differ in the code of their functions.
 */
export function describeMachine(machine: AnyStateMachine): readonly string[] {
  return [...walkNodes(machine.root)].flatMap((node) => [
    describeState(node),
    ...describeTransitions(node),
    ...node.invoke.map(({ id, src }) => `${node.id} invokes ${nameOf(src)} as ${id}`),
    ...listPlacedActions(node).map(([place, run]) => `${node.id}/${place} runs ${nameOf(run)}`),
  ]);
}

/** Returns what differs between two descriptions; `undefined` if nothing does. */
export function describeDifferences(
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  const removed = before.filter((line) => !after.includes(line)).map((line) => `removed: ${line}`);
  const added = after.filter((line) => !before.includes(line)).map((line) => `added: ${line}`);
  const all = [...removed, ...added];
  if (all.length === 0) return undefined;
  const rest = all.length - DIFFERENCES_MAX;
  const shown = all.slice(0, DIFFERENCES_MAX).join('; ');
  return rest > 0 ? `${shown}; and ${rest} more` : shown;
}

function describeState(node: AnyStateNode): string {
  const initial = node.type === 'compound' ? `, starts in ${listIds(node.initial.target)}` : '';
  return `${node.id} is ${node.type}${initial}`;
}

function describeTransitions(node: AnyStateNode): readonly string[] {
  const candidates = [...node.transitions, ['always', node.always ?? []] as const];
  return candidates.flatMap(([event, transitions]) =>
    transitions.map(({ target, guard, reenter }) => {
      const condition = guard === undefined ? '' : ` if ${nameOf(guard)}`;
      const again = reenter ? ', entering again' : '';
      return `${node.id} on ${event}${condition} leads to ${listIds(target)}${again}`;
    }),
  );
}

function listIds(nodes: readonly AnyStateNode[] | undefined): string {
  return nodes === undefined ? 'itself' : nodes.map(({ id }) => id).join(' and ');
}

/** Actions of XState are functions with a type; those of users have their own names, or none. */
function nameOf(implementation: unknown): string {
  if (typeof implementation === 'string') return implementation;
  const { type } = implementation as { readonly type?: unknown };
  return typeof type === 'string' ? type : 'a function';
}
