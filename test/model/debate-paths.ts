import type { AnyMachineSnapshot } from 'xstate';
import { getShortestPaths } from 'xstate/graph';
import { debateMachine } from '../../src/machines/debate.ts';
import type { DebateContext } from '../../src/machines/parts/debate-context.ts';
import type { Ev } from '../../src/runtime/types.ts';
import { debateInput, turnOf } from '../support/debate.ts';
import { type MachinePath, textOf } from '../support/machine-paths.ts';
import { type Covered, coverageOf } from './coverage.ts';
import { TURN_COST, WHOLE_BUDGET } from './outside.ts';

/** The debate that the paths are about; what is bought over HTTP has the same numbers. */
export const MODEL_DEBATE = debateInput({ paymentId: 'pay_1', optionIds: ['o1', 'o2'] });

/** A path to an end of the debate, with what it goes through. */
export interface DebatePath extends MachinePath {
  readonly covered: Covered;
}

/** What no caller, model or clock can bring about, and why. Nothing is. */
export const BEYOND_DEBATE: Readonly<Record<string, string>> = {};

const SOFT = 'xstate.after.softDeadline.debate.deliberating';
const HARD = 'xstate.after.hardDeadline.debate.deliberating';
const ERROR = { name: 'AppError', code: 'INTERNAL', message: 'the client broke' };
const SEALED = { transcriptSha: 't', resultSha: 'r', transcriptRoot: 'm' };
/** Two rounds of five seats and a vote of five. */
const TURNS_MAX = 15;

/**
 * The shortest path to every end, for each way to get there: who held what, which turns failed,
 * what cut it off. The client goes away at the start of every third one.
 */
export function debatePaths(): readonly DebatePath[] {
  const paths = getShortestPaths(debateMachine, {
    input: MODEL_DEBATE,
    events: (state) => nextEvents(state as AnyMachineSnapshot) as never[],
    serializeState: (state) => situationOf(state as AnyMachineSnapshot),
    stopWhen: (state) => contextOf(state as AnyMachineSnapshot).turns.length > TURNS_MAX,
    limit: 100_000,
  });
  return paths
    .filter(({ state }) => state.status === 'done')
    .map(({ steps, state }, at) => {
      const walked = steps.map(({ event }) => event as Ev).filter(({ type }) => !isInit(type));
      const events = at % 3 === 0 ? [{ type: 'CLIENT.GONE' }, ...walked] : walked;
      const name = `${textOf(state as AnyMachineSnapshot)} by ${events.map(labelOf).join(' ')}`;
      return { name, events, covered: coverageOf(debateMachine, MODEL_DEBATE, events) };
    });
}

/** Of paths in this order, those that add something to what the ones before go through. */
export function coverOf(paths: readonly DebatePath[]): readonly DebatePath[] {
  const seen = new Set<string>();
  return paths.filter(({ covered }) => {
    const names = [...covered.states, ...covered.transitions];
    const isNew = names.some((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return isNew;
  });
}

/** In one word, how a turn or the sealing ends: what opens its gate. */
export function turnWord({ type, output }: Ev): string {
  if (type.startsWith('xstate.error.')) return 'error';
  const { position, costMicroUsd } = (output ?? {}) as Record<string, string | undefined>;
  if (costMicroUsd === undefined) return 'ok';
  return position === undefined ? 'invalid' : `ok:${position}:${costMicroUsd}`;
}

function contextOf(state: AnyMachineSnapshot): DebateContext {
  return state.context as DebateContext;
}

/** Everything that may happen next; of the open turns the first one ends, in each way. */
function nextEvents(state: AnyMachineSnapshot): Ev[] {
  if (state.status !== 'active') return [];
  if (state.value === 'sealing') return [doneWith('seal', SEALED), failed('seal')];
  const { pending, isLate, turns } = contextOf(state);
  const [open] = pending;
  const ends =
    open === undefined
      ? []
      : [
          turnEnd(state, open, 'o1', TURN_COST),
          turnEnd(state, open, 'o2', TURN_COST),
          turnEnd(state, open, 'o1', WHOLE_BUDGET),
          invalidTurn(open),
          failed(open),
        ];
  const isLast = turns.length >= TURNS_MAX;
  // Each timer fires once, and the soft one first.
  const clock = isLate ? [{ type: HARD }] : [{ type: SOFT }];
  return isLast ? [] : [...ends, ...clock, { type: 'CANCEL' }];
}

/** Debates that differ in nothing else go the same ways on: one path to each is enough. */
function situationOf(state: AnyMachineSnapshot): string {
  const { isLate, cutBy, outcome, pending, turns, phase, round, sealed } = contextOf(state);
  const held = [...new Set(turns.map((turn) => turn.position ?? turn.status))];
  const lost = turns.filter((turn) => turn.phase === phase && turn.status !== 'ok').length;
  const hasMoved = turns.some((turn) => turn.changedFrom !== undefined);
  const facts = [isLate, cutBy, outcome, pending.length, Math.min(lost, LOST_MAX), hasMoved];
  return JSON.stringify([
    state.value,
    round,
    facts,
    held.toSorted((one, other) => one.localeCompare(other)).join(' '),
    sealed === null,
  ]);
}

/** So many lost turns of five leave no quorum; more make no difference. */
const LOST_MAX = 3;

function turnEnd(state: AnyMachineSnapshot, childId: string, position: string, cost: string): Ev {
  const seatId = childId.split('.')[2];
  const before = contextOf(state).turns.findLast((turn) => turn.seatId === seatId)?.position;
  const isChange = childId.startsWith('rebuttal') && before !== undefined && before !== position;
  return doneWith(
    childId,
    turnOf(MODEL_DEBATE, childId, position, {
      costMicroUsd: cost,
      ...(isChange ? { changedFrom: before } : {}),
    }),
  );
}

function invalidTurn(childId: string): Ev {
  return doneWith(childId, turnOf(MODEL_DEBATE, childId, null, { status: 'invalid' }));
}

function doneWith(childId: string, output: unknown): Ev {
  return { type: `xstate.done.actor.${childId}`, output, actorId: childId };
}

function failed(childId: string): Ev {
  return { type: `xstate.error.actor.${childId}`, error: ERROR, actorId: childId };
}

function labelOf(event: Ev): string {
  const [, kind, first, ...rest] = event.type.split('.');
  if (!event.type.startsWith('xstate.')) return event.type;
  return kind === 'after' ? String(first) : `${rest.join('.')}=${turnWord(event)}`;
}

function isInit(type: string): boolean {
  return type === 'xstate.init';
}
