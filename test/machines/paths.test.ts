import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { controlMachine } from '../../src/machines/control.ts';
import { jobMachine } from '../../src/machines/job.ts';
import { paymentMachine } from '../../src/machines/payment.ts';
import { SimulatedClock } from '../../src/runtime/clock.ts';
import { define } from '../../src/runtime/define.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { memoryStore } from '../../src/runtime/memory-store.ts';
import { type ActorEngine, type Ev, LATER } from '../../src/runtime/types.ts';
import { machinePaths, type PathPlan, pureState } from '../support/machine-paths.ts';
import { controlPlan, jobPlan, paymentPlan } from '../support/machine-plans.ts';

const machines: readonly (readonly [string, AnyStateMachine, PathPlan])[] = [
  ['payment by authorization', paymentMachine, paymentPlan('authorization', 'simple')],
  ['payment up front', paymentMachine, paymentPlan('upfront', 'simple')],
  ['job in escrow', jobMachine, jobPlan('escrow', 'simple')],
  ['job paid on release', jobMachine, jobPlan('on_release', 'simple')],
  ['control', controlMachine, controlPlan('shortest')],
];

describe.each(machines)('%s', (_name, machine, plan) => {
  const paths = machinePaths(machine, plan);

  test('the paths reach more than one state', () => {
    expect(paths.length).toBeGreaterThan(1);
  });

  test.each(paths.map((path, at) => [at, path.name, path] as const))(
    'the engine stands where the model stands: %i %s',
    async (_at, _path, { events }) => {
      const run = await startRun(machine, plan.input);
      const walked: Ev[] = [];
      expect(await run.stand()).toEqual(pureState(machine, plan.input, walked));
      for (const event of events) {
        await run.step(event);
        walked.push(event);
        const journal = await run.events();
        const stand = await run.stand();
        expect(stand).toEqual(pureState(machine, plan.input, journal));
        // A timer of the path may wait for others that are due before it; then paths part.
        if (journal.length > walked.length) break;
        expect(stand).toEqual(pureState(machine, plan.input, walked));
      }
      await run.end();
    },
  );
});

const ID = 'actor-under-test';

/** An engine with one actor, whose effects end only when the path says so. */
async function startRun(machine: AnyStateMachine, input: unknown) {
  const clock = new SimulatedClock(1_700_000_000_000);
  const names = Object.keys(machine.implementations.actors);
  const effects = Object.fromEntries(names.map((name) => [name, { run: async () => LATER }]));
  const definition = define({ kind: 'path', version: 1, machine, effects: effects as never });
  const engine = await createEngine({ store: memoryStore(), clock, definitions: [definition] });
  await engine.create('path', ID, input);
  await clock.advance(0);
  return {
    step: async (event: Ev) => {
      await step(engine, clock, event);
      await clock.advance(0);
    },
    stand: async () => {
      const { value, context, status } = await engine.view(ID);
      return JSON.parse(JSON.stringify({ value, context, status })) as unknown;
    },
    events: async () => {
      const events: Ev[] = [];
      for await (const { entry, event, cause } of engine.journal(ID)) {
        if (entry === 'event' && cause.by !== 'create') events.push(event);
      }
      return events;
    },
    end: () => engine.close(),
  };
}

async function step(engine: ActorEngine, clock: SimulatedClock, event: Ev): Promise<void> {
  const { timers, effects } = await engine.view(ID);
  const [, kind, , child] = event.type.split('.');
  if (kind === 'after') {
    const timer = timers.find((row) => row.event.type === event.type);
    expect(timer, event.type).toBeDefined();
    await clock.set(timer?.due ?? 0);
  } else if (event.type.startsWith('xstate.')) {
    const effect = effects.find(({ childId }) => childId === child);
    expect(effect, event.type).toBeDefined();
    const result =
      kind === 'done'
        ? ({ ok: true, output: event['output'] } as const)
        : ({ ok: false, error: event['error'] as { name: string; message: string } } as const);
    await engine.complete(effect?.token ?? '', result);
  } else {
    await engine.tell(ID, event);
  }
}
