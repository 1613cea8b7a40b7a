import { expect, test } from 'vitest';
import type { createInspector } from '../../../src/actors/inspect/inspector.ts';
import type { ActorPoint } from '../../../src/domain/inspect/wire.ts';
import { MACHINES } from '../../../src/machines/common/registry.ts';
import { buildMachineGraph } from '../../../src/machines/graph/machine-graph.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import type { Driver } from '../../../src/testing/driver.ts';
import { engineDriver } from '../../../src/testing/engine-driver.ts';
import type { TestPath, TestStep } from '../../../src/testing/path.ts';
import { pathsOf } from '../../../src/testing/paths-of.ts';
import { findPlan } from '../../../src/testing/plans/plans.ts';
import { inspectorOf } from '../../support/inspected.ts';

const ID = 'actor-under-test';

for (const { kind, machine, version, title } of MACHINES) {
  test(`${kind}: every row of every path says which transitions it took`, {
    timeout: 120_000,
  }, async () => {
    const plan = findPlan(kind);
    if (plan === undefined) throw new Error(`no plan of ${kind}`);
    const graph = buildMachineGraph({ kind: machine.id, version, title, machine });
    const known = new Map(graph.transitions.map((each) => [each.id, each]));
    const seen = new Set<string>();
    for (const path of pathsOf(machine, { ...plan, how: 'transitions' })) {
      const played = await play(path, machine);
      const told = played.points.slice(1).flatMap(({ last }) => last?.transitionIds ?? []);
      expect(told, path.id).toEqual(path.steps.flatMap(({ transitionIds }) => transitionIds));
      expect(played.points, path.id).toHaveLength(path.steps.length + 1);
      for (const [at, { stateIds }] of path.steps.entries()) {
        const left = stateIds.before.filter((id) => !stateIds.after.includes(id));
        expect(played.points[at + 1]?.last?.leftIds, path.id).toEqual(left);
      }
      for (const [at, point] of played.points.entries()) {
        for (const id of point.last?.transitionIds ?? []) seen.add(id);
        const next = played.points[at + 1];
        const first = next?.last?.transitionIds[0];
        if (first !== undefined && known.get(first)?.trigger !== 'always') {
          expect(point.possible.map(({ transitionId }) => transitionId)).toContain(first);
        }
      }
      expect(played.points.at(-1)?.activeIds).toEqual(path.stateIds);
    }
    expect(seen.size).toBeGreaterThan(graph.transitions.length / 2);
  });
}

async function play(path: TestPath, machine: (typeof MACHINES)[number]['machine']) {
  let engine: ActorEngine | undefined;
  const driver = engineDriver({
    machine,
    startEngine: async (options) => {
      engine = await createEngine({ ...options, snapshotEvery: 3 });
      return engine;
    },
  });
  try {
    await driver.start(path.input);
    for (const step of path.steps) await go(driver, step);
    if (engine === undefined) throw new Error('the driver starts an engine');
    const inspector: ReturnType<typeof createInspector> = inspectorOf({
      engine,
      machines: [{ kind: machine.id, version: 1, title: '', machine }],
    });
    const { seq: last } = await engine.view(ID);
    const points: ActorPoint[] = [];
    for (let atSeq = 1; atSeq <= last; atSeq += 1) {
      const point = await inspector.read({ name: 'point', actorId: ID, atSeq });
      points.push(point as unknown as ActorPoint);
    }
    return { points };
  } finally {
    await driver.close();
  }
}

async function go(driver: Driver, step: TestStep): Promise<void> {
  switch (step.kind) {
    case 'event':
      return driver.send(step.event as never);
    case 'delay':
      return driver.elapse(step);
    case 'wait':
      return driver.wait?.(step.waitMs);
    case 'effect_done':
      return driver.settle(step, { ok: true, output: step.output });
    case 'effect_error':
      return driver.settle(step, { ok: false, error: step.error });
  }
}
