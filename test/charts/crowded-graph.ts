import type { GraphState, GraphTransition, MachineGraph } from '../../src/domain/inspect/graph.ts';

const TRIGGERS = ['event', 'after', 'done', 'error', 'always'] as const;

/** A machine that nobody would write: 40 states on 3 levels, regions, 90 transitions. */
export function crowdedGraph(): MachineGraph {
  const root = stateOf('', null, 'compound');
  const parts = ['intake', 'work', 'review', 'archive'].flatMap((key, index) => partOf(key, index));
  const ends = ['ended', 'abandoned', 'lost'].map((id) => stateOf(id, '', 'final'));
  const states = [{ ...root, initialId: 'intake' }, ...parts, ...ends];
  const inner = states.filter(({ type, id }) => type !== 'final' && id !== '');
  const targets = states.filter(({ id }) => id !== '');
  const transitions = Array.from({ length: 90 }, (_, index): GraphTransition => {
    const source = inner[(index * 7) % inner.length] ?? root;
    const target = targets[(index * 11 + 3) % targets.length] ?? root;
    const trigger = TRIGGERS[index % TRIGGERS.length] ?? 'event';
    return {
      id: `${source.id}|E${index}|0`,
      sourceId: source.id,
      targetIds: index % 9 === 0 ? [] : [target.id],
      trigger,
      eventType: `E${index}`,
      label: index % 10 === 0 ? 'A.VERY.LONG.EVENT.NAME.THAT.GOES.ON.AND.ON' : `EVENT.${index}`,
      guard: index % 3 === 0 ? `isAllowedByTheRulesOfSection${index}` : null,
      actions: ['keep'],
      delay: trigger === 'after' ? 'window' : null,
      reenters: false,
    };
  });
  return { kind: 'crowded', version: 1, title: 'Crowded', states, transitions };
}

// Nine states: a part, two regions or levels in it, three states in each.
function partOf(key: string, index: number): readonly GraphState[] {
  const isParallel = index % 2 === 0;
  const part = stateOf(key, '', isParallel ? 'parallel' : 'compound');
  const levels = ['left', 'right'].flatMap((side) => {
    const id = `${key}.${side}`;
    const leaves = ['first', 'second', 'third'].map((leaf) =>
      stateOf(`${id}.${leaf}`, id, 'atomic'),
    );
    return [{ ...stateOf(id, key, 'compound'), initialId: `${id}.first` }, ...leaves];
  });
  return [{ ...part, initialId: isParallel ? null : `${key}.left` }, ...levels];
}

function stateOf(id: string, parentId: string | null, type: GraphState['type']): GraphState {
  const key = id === '' ? 'crowded' : (id.split('.').at(-1) ?? id);
  const effects = type === 'atomic' ? [{ src: 'doTheWork', childId: 'work' }] : [];
  const tags = type === 'final' ? ['closed'] : [];
  const described = { description: `It is ${key}.`, tags, entry: [], exit: [] };
  return { id, key, parentId, type, initialId: null, effects, ...described };
}
