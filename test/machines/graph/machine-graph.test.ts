import { describe, expect, test } from 'vitest';
import { MACHINES } from '../../../src/machines/common/registry.ts';
import { activeStateIds, buildMachineGraph } from '../../../src/machines/graph/machine-graph.ts';

describe('machineGraph', () => {
  test.each(MACHINES)('ids of $kind are unique and every end of a transition exists', (named) => {
    const { states, transitions } = buildMachineGraph(named);
    const ids = states.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(transitions.map(({ id }) => id)).size).toBe(transitions.length);
    const known = new Set(ids);
    for (const { sourceId, targetIds } of transitions) {
      expect([sourceId, ...targetIds].filter((id) => !known.has(id))).toEqual([]);
    }
    expect(JSON.parse(JSON.stringify({ states, transitions }))).toEqual({ states, transitions });
  });

  test('timers, ends of effects and guards carry the names of the definition', () => {
    const job = MACHINES.find(({ kind }) => kind === 'job');
    if (job === undefined) throw new Error('there is no job machine');
    const { transitions } = buildMachineGraph(job);
    const labels = transitions.map(({ label }) => label);
    expect(labels).toContain('after fulfilBy');
    expect(labels).toContain('done: fund');
    expect(labels).toContain('error: release');
    const window = transitions.find(({ id }) => id.startsWith('fulfilled|xstate.after.'));
    expect(window).toMatchObject({
      trigger: 'after',
      delay: 'releaseWindow',
      guard: 'isEscrowFunded',
      targetIds: ['fulfilled.trying'],
    });
  });

  test('what XState adds for its timers is not shown as a deed of the state', () => {
    const job = MACHINES.find(({ kind }) => kind === 'job');
    const payment = MACHINES.find(({ kind }) => kind === 'payment');
    if (job === undefined || payment === undefined) throw new Error('a machine is missing');
    expect(buildMachineGraph(job).states.flatMap(({ entry, exit }) => [...entry, ...exit])).toEqual(
      [],
    );
    const due = buildMachineGraph(payment).states.find(({ id }) => id === 'refund_due');
    expect([due?.entry, due?.exit]).toEqual([['callOperator'], []]);
  });

  test('active ids name parents before children, in every region', () => {
    expect(activeStateIds({ fulfilled: 'trying' })).toEqual(['fulfilled', 'fulfilled.trying']);
    expect(activeStateIds({ a: { b: 'c' }, d: 'e' })).toEqual(['a', 'a.b', 'a.b.c', 'd', 'd.e']);
  });
});
