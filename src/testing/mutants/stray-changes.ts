import type { AnyStateNode } from 'xstate';
import { type Change, describePlace } from './change.ts';
import { cloneConfig, findSlot, findStateConfig, type StateConfig } from './config.ts';

/** Returns mutations that let a state accept an event of a sibling state. */
export function listStrayChanges(node: AnyStateNode): readonly Change[] {
  if (node.type === 'final' || node.type === 'history' || isTransient(node)) return [];
  const taken = new Set(listEvents(node));
  for (let up = node.parent; up !== undefined; up = up.parent) listEvents(up).forEach(addTo(taken));
  const changes: Change[] = [];
  for (const other of Object.values(node.parent?.states ?? {})) {
    if (other === node) continue;
    for (const eventType of listEvents(other)) {
      if (taken.has(eventType)) continue;
      taken.add(eventType);
      changes.push(createStrayChange(node, other, eventType));
    }
  }
  return changes;
}

/** A transient state never accepts events. */
function isTransient({ always = [] }: AnyStateNode): boolean {
  return always.some(({ guard }) => guard === undefined);
}

function createStrayChange(node: AnyStateNode, other: AnyStateNode, eventType: string): Change {
  const place = describePlace(node);
  return {
    id: `stray:${node.path.join('.')}|${eventType}`,
    about: `${place} takes ${eventType} as ${describePlace(other)} does.`,
    transitionIds: [],
    apply: (root: StateConfig) => {
      const candidateConfigs = findSlot(root, other, eventType)?.get();
      if (candidateConfigs === undefined) return false;
      const config = findStateConfig(root, node);
      const candidates = candidateConfigs.map((candidate, at) => ({
        ...cloneConfig(candidate),
        // Target names are relative to where they are written.
        ...absoluteTarget(other, eventType, at),
      }));
      config.on = { ...config.on, [eventType]: candidates };
      return true;
    },
  };
}

function absoluteTarget(node: AnyStateNode, eventType: string, at: number): { target?: string[] } {
  const targets = node.transitions.get(eventType)?.[at]?.target;
  return targets === undefined ? {} : { target: targets.map(({ id }) => `#${id}`) };
}

/** Returns the external events that a state names itself. */
function listEvents(node: AnyStateNode): readonly string[] {
  return [...node.transitions.keys()].filter(
    (type) => !type.startsWith('xstate.') && !type.includes('*'),
  );
}

function addTo(set: Set<string>): (item: string) => void {
  return (item) => {
    set.add(item);
  };
}
