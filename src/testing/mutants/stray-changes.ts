import type { AnyStateNode } from 'xstate';
import { type Change, placeOf } from './change.ts';
import { cloneConfig, type StateConfig, slotOf, stateConfig } from './config.ts';

/** Returns mutations that let a state accept an event of a sibling state. */
export function strayChanges(node: AnyStateNode): readonly Change[] {
  if (node.type === 'final' || node.type === 'history' || isPassedThrough(node)) return [];
  const taken = new Set(eventsOf(node));
  for (let up = node.parent; up !== undefined; up = up.parent) eventsOf(up).forEach(add(taken));
  const changes: Change[] = [];
  for (const other of Object.values(node.parent?.states ?? {})) {
    if (other === node) continue;
    for (const eventType of eventsOf(other)) {
      if (taken.has(eventType)) continue;
      taken.add(eventType);
      changes.push(stray(node, other, eventType));
    }
  }
  return changes;
}

/** A transient state never accepts events. */
function isPassedThrough({ always = [] }: AnyStateNode): boolean {
  return always.some(({ guard }) => guard === undefined);
}

function stray(node: AnyStateNode, other: AnyStateNode, eventType: string): Change {
  const place = placeOf(node);
  return {
    id: `stray:${node.path.join('.')}|${eventType}`,
    about: `${place} takes ${eventType} as ${placeOf(other)} does.`,
    transitionIds: [],
    apply: (root: StateConfig) => {
      const written = slotOf(root, other, eventType)?.get();
      if (written === undefined) return false;
      const config = stateConfig(root, node);
      const candidates = written.map((candidate, at) => ({
        ...cloneConfig(candidate),
        // Target names are relative to where they are written.
        ...targetOf(other, eventType, at),
      }));
      config.on = { ...config.on, [eventType]: candidates };
      return true;
    },
  };
}

function targetOf(node: AnyStateNode, eventType: string, at: number): { target?: string[] } {
  const targets = node.transitions.get(eventType)?.[at]?.target;
  return targets === undefined ? {} : { target: targets.map(({ id }) => `#${id}`) };
}

/** Returns the external events that a state names itself. */
function eventsOf(node: AnyStateNode): readonly string[] {
  return [...node.transitions.keys()].filter(
    (type) => !type.startsWith('xstate.') && !type.includes('*'),
  );
}

function add(set: Set<string>): (item: string) => void {
  return (item) => {
    set.add(item);
  };
}
