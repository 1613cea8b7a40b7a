import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { computeQuorum, countBallots } from '../../../src/domain/panel/tally.ts';
import type { PanelContext } from '../../../src/machines/panel/panel-context.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { type Ev, LATER } from '../../../src/runtime/engine/types.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { debateInput, turnOf } from '../../support/debate.ts';
import { debateMachine } from '../../support/debate-machine.ts';
import { pureState } from '../../support/pure-state.ts';
import { tillRecorder } from '../../support/till.ts';

const input = debateInput({ paymentId: 'pay_1' });
const ERROR = { name: 'AppError', code: 'INTERNAL', message: 'down' };
const SOFT = 'xstate.after.softDeadline.debate.deliberating';
const HARD = 'xstate.after.hardDeadline.debate.deliberating';
const sealed = { transcriptSha: 't', resultSha: 'r', transcriptRoot: 'm' };

function contextOf(state: AnyMachineSnapshot): PanelContext {
  return state.context as PanelContext;
}

function done(childId: string, position: string | null, cost = '1000'): Ev {
  const output = turnOf(input, childId, position, { costMicroUsd: cost });
  return { type: `xstate.done.actor.${childId}`, output, actorId: childId };
}

function failed(childId: string): Ev {
  return { type: `xstate.error.actor.${childId}`, error: ERROR, actorId: childId };
}

const sealEvents: readonly Ev[] = [
  { type: 'xstate.done.actor.seal', output: sealed, actorId: 'seal' },
  failed('seal'),
];

/** Everything that may happen next: of the open turns the first one ends, in each way. */
function nextEvents(state: AnyMachineSnapshot): Ev[] {
  if (state.status !== 'active') return [];
  if (state.value === 'sealing') return [...sealEvents];
  const [open] = contextOf(state).pending;
  const turns =
    open === undefined
      ? []
      : [done(open, 'o1'), done(open, 'o2'), done(open, 'o1', '1000000'), failed(open)];
  return [...turns, { type: SOFT }, { type: HARD }, { type: 'CANCEL' }, { type: 'CLIENT.GONE' }];
}

describe('paths', () => {
  const paths = getShortestPaths(debateMachine, {
    input,
    events: (state) => nextEvents(state as AnyMachineSnapshot) as never[],
    serializeState: (state) => {
      const { isLate, cutBy, outcome, pending, turns } = contextOf(state as AnyMachineSnapshot);
      const held = turns.map((turn) => turn.position ?? '-').sort();
      return JSON.stringify([state.value, isLate, cutBy, outcome, pending.length, held.join('')]);
    },
    stopWhen: (state) => contextOf(state as AnyMachineSnapshot).turns.length > 15,
    limit: 100_000,
  });

  test('they reach every state that a debate rests in', () => {
    const reached = new Set(
      paths.map(({ state }) => JSON.stringify(state.value).replaceAll('"', '')),
    );
    expect([...reached].sort()).toEqual([
      'cancelled',
      'decided',
      'failed',
      'no_quorum',
      'sealing',
      '{deliberating:opening}',
      '{deliberating:rebuttal}',
      '{deliberating:voting}',
    ]);
  });

  const ends = paths.filter(({ state }) => state.status === 'done');
  const picked = new Map(
    ends.map((path) => {
      const { outcome, cutBy, isLate } = contextOf(path.state as AnyMachineSnapshot);
      return [JSON.stringify([path.state.value, outcome, cutBy, isLate]), path];
    }),
  );

  test.each([...picked])('the engine ends where the model ends: %s', async (_key, path) => {
    const events = path.steps
      .map(({ event }) => event as Ev)
      .filter(({ type }) => type !== 'xstate.init');
    const run = await startRun();
    for (const event of events) await run.step(event);
    const journal = await run.events();
    expect(await run.stand()).toEqual(pureState(debateMachine, input, journal));
    const told = await run.told();
    expect(told).toHaveLength((await run.stand())['status'] === 'done' ? 1 : 0);
  });
});

/** An engine with one debate, whose effects end only when the test says so. */
async function startRun() {
  const clock = new SimulatedClock(0);
  const later = { run: async () => LATER };
  const definition = define({
    kind: 'debate',
    version: 1,
    machine: debateMachine,
    effects: { turn: later, seal: later } as never,
  });
  const definitions = [definition, tillRecorder];
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  await engine.create('till', 'pay_1');
  await engine.create('debate', input.jobId, input);
  await clock.advance(0);
  return {
    step: async (event: Ev) => {
      const { effects, status } = await engine.view(input.jobId);
      if (status !== 'active') return;
      const row = effects.find(({ childId }) => childId === event['actorId']);
      if (event.type === SOFT) await clock.set(Math.max(clock.now(), input.deadlineMs * 0.8));
      else if (event.type === HARD) await clock.set(input.deadlineMs);
      else if (row === undefined) await engine.tell(input.jobId, event);
      else if ('output' in event) {
        await engine.complete(row.token, { ok: true, output: event['output'] });
      } else await engine.complete(row.token, { ok: false, error: ERROR });
      await clock.advance(0);
    },
    stand: async () => {
      const { value, context, status } = await engine.view(input.jobId);
      return JSON.parse(JSON.stringify({ value, context, status })) as Record<string, unknown>;
    },
    events: async () => {
      const rows: Ev[] = [];
      for await (const row of engine.journal(input.jobId)) {
        if (row.entry === 'event' && row.event.type !== 'xstate.init') rows.push(row.event);
      }
      return rows;
    },
    told: async () => (await engine.view('pay_1')).context['told'],
  };
}

describe('any run', () => {
  const choice = fc.record({ pick: fc.nat(), child: fc.nat() });

  test('ends, and what it ends with holds', () => {
    fc.assert(
      fc.property(fc.array(choice, { minLength: 60, maxLength: 60 }), (choices) => {
        const { context, value, cost } = walk(choices);
        checkEnd(context, value, cost);
      }),
      { numRuns: 300 },
    );
  });

  test('a result of a turn that is not awaited changes nothing', () => {
    const [state] = initialTransition(debateMachine, input);
    const [after] = transition(debateMachine, state, done('vote.0.s0', 'o1') as never);
    expect(after.context).toEqual(state.context);
  });

  test('an output that is not a turn counts as a failed turn, of unknown price', () => {
    const [state] = initialTransition(debateMachine, input);
    const odd = { type: 'xstate.done.actor.opening.0.s1', output: 'x', actorId: 'opening.0.s1' };
    const [after] = transition(debateMachine, state, odd as never);
    expect(after.context.turns).toMatchObject([{ status: 'provider_error', costMicroUsd: null }]);
  });
});

/** Walks by choices until the debate ends; three of four events are ends of turns. */
function walk(choices: readonly { readonly pick: number; readonly child: number }[]) {
  let [state] = initialTransition(debateMachine, input);
  let cost = 0n;
  for (const { pick, child } of choices) {
    if (state.status !== 'active') break;
    const { pending, turns } = state.context;
    const open = pending[child % Math.max(1, pending.length)];
    const events = open === undefined ? sealEvents : eventsAt(state, open);
    [state] = transition(debateMachine, state, events[pick % events.length] as never);
    const [added] = state.context.turns.slice(turns.length);
    cost += BigInt(added?.costMicroUsd ?? '0');
  }
  expect(state.status).toBe('done');
  return { context: state.context, value: state.value, cost };
}

function eventsAt(state: AnyMachineSnapshot, open: string): readonly Ev[] {
  return [...usual(open), ...usual(open), ...usual(open), ...nextEvents(state).slice(4)];
}

function usual(open: string): Ev[] {
  return [done(open, 'o1'), done(open, 'o2'), done(open, 'o3'), done(open, null), failed(open)];
}

function checkEnd(context: PanelContext, value: unknown, cost: bigint): void {
  const { outcome, ballots, pending, turns, tally: counted } = context;
  expect(value).toBe(outcome);
  expect(pending).toEqual([]);
  const sum = turns.reduce((total, turn) => total + BigInt(turn.costMicroUsd ?? '0'), 0n);
  expect(sum).toBe(cost);
  expect(new Set(turns.map((turn) => turn.turnId)).size).toBe(turns.length);
  if (outcome !== 'decided') return;
  expect(input.optionIds).toContain(counted?.winner);
  expect(counted?.cast).toBeGreaterThanOrEqual(computeQuorum(input.seats.length));
  expect(countBallots(ballots, { ...input, seats: input.seats.length })).toEqual(counted);
}
