import { assign, enqueueActions, setup } from 'xstate';
import { ballotsOf } from '../domain/debate/ballots.ts';
import type { TurnOrder } from '../domain/debate/order.ts';
import type { DebateInput, Turn, TurnPhase } from '../domain/debate/records.ts';
import { cancelRefund } from '../domain/debate/report.ts';
import { tally } from '../domain/debate/tally.ts';
import {
  type DebateContext,
  type DebateOutcome,
  newDebate,
  type Sealed,
  type SealOrder,
} from './parts/debate-context.ts';
import * as guards from './parts/debate-guards.ts';
import { beginPhase, recordFailure, recordTurn } from './parts/debate-turns.ts';
import { effect } from './parts/effect.ts';
import type { ActorSend } from './parts/messages.ts';

/** Raised whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Share of the deadline after which the panel goes to the vote, in percent. */
const DEADLINE_SOFT_PERCENT = 80;

/** Events that come from outside. */
export type DebateEvent =
  /** Ends the debate; what it cost so far stands. */
  | { readonly type: 'CANCEL' }
  /** Nobody waits on the line any more; the debate goes on. */
  | { readonly type: 'CLIENT.GONE' };

type EffectEvent =
  | { readonly type: 'xstate.done.actor.*'; readonly actorId: string; readonly output: unknown }
  | { readonly type: 'xstate.error.actor.*'; readonly actorId: string; readonly error: unknown };

const machineSetup = setup({
  types: {} as {
    context: DebateContext;
    input: DebateInput;
    events: DebateEvent | EffectEvent;
    emitted: ActorSend;
  },
  actors: { turn: effect<TurnOrder, Turn>(), seal: effect<SealOrder, Sealed>() },
  guards: { ...guards },
  delays: {
    softDeadline: ({ context }) =>
      Math.floor((context.input.deadlineMs * DEADLINE_SOFT_PERCENT) / 100),
    hardDeadline: ({ context }) => context.input.deadlineMs,
  },
  actions: {
    beginPhase: enqueueActions(({ context, enqueue }, { phase }: { phase: TurnPhase }) => {
      const { context: next, started } = beginPhase(context, phase);
      enqueue.assign(next);
      for (const { id, input } of started) enqueue.spawnChild('turn', { id, input });
    }),
    stopTurns: enqueueActions(({ context, enqueue }) => {
      if (context.pending.length === 0) return;
      for (const id of context.pending) enqueue.stopChild(id);
      enqueue.assign({ pending: [], cutTurns: context.cutTurns + context.pending.length });
    }),
    recordTurn: assign(({ context, event }) =>
      'output' in event ? recordTurn(context, event.actorId, event.output) : context,
    ),
    recordFailure: assign(({ context, event }) =>
      'error' in event ? recordFailure(context, event.actorId, event.error) : context,
    ),
    noteLate: assign({ isLate: true }),
    noteDeadline: assign({ cutBy: 'deadline', isLate: true }),
    noteBudget: assign({ cutBy: 'budget' }),
    detach: assign({ detached: true }),
    count: assign(({ context }) => {
      const { input, turns } = context;
      const carryPositions = context.cutBy !== null;
      const ballots = ballotsOf(turns, input.seats, {
        carryPositions,
        devilSeatId: input.devilSeatId,
      });
      const rules = { ...input, seats: input.seats.length };
      return { ballots, tally: tally(ballots, rules) };
    }),
    conclude: assign(
      (_, { outcome, reason }: { outcome: DebateOutcome; reason: string | null }) => ({
        outcome,
        reason,
      }),
    ),
    keepSealed: assign({
      sealed: ({ event }) => ('output' in event ? (event.output as Sealed) : null),
    }),
    tellPayer: enqueueActions(({ context, enqueue }) => {
      const { paymentId: to } = context.input;
      if (to !== undefined) enqueue.emit({ type: 'actor.send', to, event: workEvent(context) });
    }),
  },
});

function workEvent(context: DebateContext): ActorSend['event'] {
  switch (context.outcome) {
    case 'decided':
      return { type: 'WORK.DONE' };
    case 'cancelled':
      return {
        type: 'WORK.CANCELLED',
        refundMicroUsd: cancelRefund(context.input, context.turns),
      };
    case 'no_quorum':
    case 'failed':
    case null:
      return { type: 'WORK.FAILED', reason: context.reason ?? 'the debate failed' };
  }
}

/**
 * A debate: all seats open on their own, at most a few rebuttal rounds follow, then a secret ballot
 * that a fixed ladder counts. Its actor id is the job id. Turns are effects, one per phase, round
 * and seat. It always ends: by its turns, by its budget, by its deadline, or by a cancel.
 */
export const debateMachine = machineSetup.createMachine({
  id: 'debate',
  context: newDebate,
  initial: 'deliberating',
  states: {
    deliberating: {
      description: 'Seats take their turns, within one deadline and one budget.',
      initial: 'opening',
      on: {
        CANCEL: {
          target: 'sealing',
          actions: {
            type: 'conclude',
            params: { outcome: 'cancelled', reason: 'The caller cancelled it.' },
          },
        },
        'CLIENT.GONE': { actions: 'detach' },
        'xstate.done.actor.*': { guard: 'isAwaited', actions: 'recordTurn' },
        'xstate.error.actor.*': { guard: 'isAwaited', actions: 'recordFailure' },
      },
      after: {
        softDeadline: { actions: 'noteLate' },
        hardDeadline: { target: 'tallying', actions: 'noteDeadline' },
      },
      states: {
        opening: {
          description: 'Every seat takes a position on its own, before it sees any other.',
          entry: { type: 'beginPhase', params: { phase: 'opening' } },
          exit: 'stopTurns',
          always: [
            { guard: 'isBudgetGone', target: '#debate.tallying', actions: 'noteBudget' },
            { guard: 'phaseIsOver', target: 'checking' },
            { guard: 'isLateWithQuorum', target: 'voting' },
          ],
        },
        checking: {
          description: 'Decides between a rebuttal round and the vote.',
          always: [
            {
              guard: 'lacksQuorum',
              target: '#debate.sealing',
              actions: {
                type: 'conclude',
                params: { outcome: 'no_quorum', reason: 'Too few seats gave a usable turn.' },
              },
            },
            { guard: 'isUnanimous', target: 'voting' },
            { guard: 'isStable', target: 'voting' },
            { guard: 'mustHurry', target: 'voting' },
            { guard: 'hasRoundsLeft', target: 'rebuttal' },
            { target: 'voting' },
          ],
        },
        rebuttal: {
          description: 'Every seat answers two others, whose names and number it does not know.',
          entry: { type: 'beginPhase', params: { phase: 'rebuttal' } },
          exit: 'stopTurns',
          always: [
            { guard: 'isBudgetGone', target: '#debate.tallying', actions: 'noteBudget' },
            { guard: 'phaseIsOver', target: 'checking' },
            { guard: 'isLate', target: 'voting' },
          ],
        },
        voting: {
          description: 'Every seat casts a secret, ranked ballot.',
          entry: { type: 'beginPhase', params: { phase: 'vote' } },
          exit: 'stopTurns',
          always: [
            { guard: 'isBudgetGone', target: '#debate.tallying', actions: 'noteBudget' },
            { guard: 'phaseIsOver', target: '#debate.tallying' },
          ],
        },
      },
    },
    tallying: {
      description: 'Counts the ballots by the ladder; what was cut off counts by last positions.',
      entry: 'count',
      always: [
        {
          guard: 'hasWinner',
          target: 'sealing',
          actions: { type: 'conclude', params: { outcome: 'decided', reason: null } },
        },
        {
          target: 'sealing',
          actions: {
            type: 'conclude',
            params: { outcome: 'no_quorum', reason: 'Too few seats cast a valid ballot.' },
          },
        },
      ],
    },
    sealing: {
      description: 'Writes transcript and result, and binds them by a Merkle root.',
      invoke: {
        src: 'seal',
        id: 'seal',
        input: sealOrder,
        onDone: [
          {
            guard: 'isDecision',
            target: 'decided',
            actions: 'keepSealed',
          },
          {
            guard: 'isCancel',
            target: 'cancelled',
            actions: 'keepSealed',
          },
          {
            target: 'no_quorum',
            actions: 'keepSealed',
          },
        ],
        onError: [
          {
            guard: 'isDecision',
            target: 'failed',
            actions: {
              type: 'conclude',
              params: { outcome: 'failed', reason: 'The result could not be written.' },
            },
          },
          { guard: 'isCancel', target: 'cancelled' },
          { target: 'no_quorum' },
        ],
      },
    },
    decided: { description: 'There is a decision.', type: 'final', entry: 'tellPayer' },
    no_quorum: {
      description: 'Too few seats took part for a decision; the price goes back.',
      type: 'final',
      entry: 'tellPayer',
    },
    cancelled: {
      description: 'The caller ended it; the price less the cost so far goes back.',
      type: 'final',
      entry: 'tellPayer',
    },
    failed: {
      description: 'The decision could not be kept; the price goes back.',
      type: 'final',
      entry: 'tellPayer',
    },
  },
});

function sealOrder({ context }: { readonly context: DebateContext }): SealOrder {
  const { input, reason, turns, cutTurns, ballots, tally: counted } = context;
  const outcome = context.outcome ?? 'failed';
  return { input, outcome, reason, turns, cutTurns, ballots, tally: counted };
}
