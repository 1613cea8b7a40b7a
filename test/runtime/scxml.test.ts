import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { createActor, SimulatedClock } from 'xstate';
import { define } from '../../src/runtime/engine/define.ts';
import { EngineWorld } from '../support/engine-world.ts';
import { keyOf } from '../support/scxml/content.ts';
import { Inexpressible } from '../support/scxml/expressions.ts';
import { machineOf } from '../support/scxml/machine.ts';
import { memoryShelf } from '../support/shelf.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/scxml');

/** Cases that plain XState ends elsewhere, with what it reaches. An engine must reach the same. */
const OTHERWISE: Readonly<Record<string, readonly Configuration[]>> = {
  // XState asks In() of the states before the transition, SCXML of those that are active by then.
  'w3c-ecma/test409.txml': [['fail'], ['fail']],
  'w3c-ecma/test411.txml': [['s01']],
};

/** Cases that XState plays and an engine refuses, with what it says. */
const UNKEPT: Readonly<Record<string, string>> = {
  'w3c-ecma/test453.txml': 'xstate.init: context.var1 is a function, which JSON cannot represent',
};

/** How many cases ask for something that XState has no word for. */
const REFUSED = {
  'XML as data': 2,
  'a name without data': 1,
  'a script in another file': 4,
  'a script that declares names': 6,
  'actions in the default of a history state': 1,
  'an assignment to no name': 1,
  'an event for another session': 7,
  'an expression with a fault': 2,
  'an invocation': 37,
  'cancel without sendid': 1,
  'data in another file': 3,
  'error events of the platform': 28,
  'late binding': 2,
  'variables of the platform': 19,
};

const cases = readCases();
const runnable = cases.flatMap(({ name, script, machine }) =>
  typeof machine === 'string' ? [] : [{ name, script, machine }],
);

test('the cases of SCXML that XState cannot express are these', () => {
  const counts: Record<string, number> = {};
  for (const { machine } of cases) {
    if (typeof machine === 'string') counts[machine] = (counts[machine] ?? 0) + 1;
  }
  expect(counts).toEqual(REFUSED);
  expect(runnable).toHaveLength(202);
});

test.each(runnable)('XState and the engine play $name', async ({ name, script, machine }) => {
  const wanted = [
    script.initialConfiguration,
    ...script.events.map(({ nextConfiguration }) => nextConfiguration),
  ];
  const reached = inXState(machine, script);
  expect(reached, 'XState').toEqual((OTHERWISE[name] ?? wanted).map(inOrder));
  const inside = inEngine(machine, script);
  const refusal = UNKEPT[name];
  if (refusal === undefined) expect(await inside, 'the engine').toEqual(reached);
  else await expect(inside).rejects.toMatchObject({ code: 'EVENT_POISON', message: refusal });
});

/** Names of the states that are active and have no states of their own. */
type Configuration = readonly string[];

interface Script {
  readonly initialConfiguration: Configuration;
  readonly events: readonly {
    /** Milliseconds to wait before the event. */
    readonly after?: number;
    readonly event: { readonly name: string; readonly data?: unknown };
    readonly nextConfiguration: Configuration;
  }[];
}

interface Case {
  readonly name: string;
  readonly script: Script;
  /** Or the reason why there is none. */
  readonly machine: AnyStateMachine | string;
}

function readCases(): readonly Case[] {
  const groups = readdirSync(FOLDER, { withFileTypes: true }).filter((one) => one.isDirectory());
  return groups.flatMap(({ name: group }) =>
    readdirSync(join(FOLDER, group))
      .filter((file) => file.endsWith('.json'))
      .map((file) => readCase(`${group}/${file.slice(0, -'.json'.length)}`)),
  );
}

function readCase(name: string): Case {
  const script = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Script;
  const document = readFileSync(join(FOLDER, `${name}.scxml`), 'utf8');
  try {
    return { name, script, machine: machineOf(document) };
  } catch (error) {
    if (!(error instanceof Inexpressible)) throw error;
    return { name, script, machine: error.reason };
  }
}

function inXState(machine: AnyStateMachine, script: Script): readonly Configuration[] {
  const clock = new SimulatedClock();
  const actor = createActor(machine, { clock }).start();
  const reached = [leavesOf(actor.getSnapshot().value)];
  for (const { after = 0, event } of script.events) {
    // Step by step: what a timer sets counts from the time of the timer.
    for (let ms = 0; ms < after; ms += 1) clock.increment(1);
    const { name: type, data } = event;
    if (isHeard(actor.getSnapshot().status, type)) actor.send({ type, data });
    reached.push(leavesOf(actor.getSnapshot().value));
  }
  actor.stop();
  return reached.map(inOrder);
}

/** Every event finds another process than the one before. */
async function inEngine(
  machine: AnyStateMachine,
  script: Script,
): Promise<readonly Configuration[]> {
  const world = new EngineWorld(memoryShelf());
  const definition = define({ kind: 'case', version: 1, machine, effects: {} });
  try {
    await (await world.start([definition])).create('case', 'c/1', {});
    const reached = [leavesOf((await world.engine.view('c/1')).value)];
    for (const { after = 0, event } of script.events) {
      world.crash();
      const engine = await world.start([definition]);
      if (after > 0) await world.clock.advance(after);
      const { status } = await engine.view('c/1');
      const { name: type, data } = event;
      if (isHeard(status, type)) {
        await engine.tell('c/1', data === undefined ? { type } : { type, data });
      }
      reached.push(leavesOf((await engine.view('c/1')).value));
    }
    return reached.map(inOrder);
  } finally {
    await world.end();
  }
}

/** Some cases have an event without a name, which stands for the wait before it. */
function isHeard(status: string, type: string): boolean {
  return status === 'active' && type !== '';
}

function leavesOf(value: unknown): Configuration {
  if (typeof value === 'string') return [value];
  return Object.entries(value as Readonly<Record<string, unknown>>).flatMap(([name, inner]) => {
    const isLeaf = typeof inner === 'object' && Object.keys(inner ?? {}).length === 0;
    return isLeaf ? [name] : leavesOf(inner);
  });
}

function inOrder(configuration: Configuration): Configuration {
  return configuration.map(keyOf).toSorted();
}
