import { assign, enqueueActions, setup } from 'xstate';
import { invariant } from '../../domain/common/error.ts';
import { createBallots } from '../../domain/panel/ballots.ts';
import type { PanelDefinition, PanelOutcome } from '../../domain/panel/definition.ts';
import type { TurnOrder } from '../../domain/panel/order.ts';
import { findSeatPhase } from '../../domain/panel/plan.ts';
import type { PanelInput, Turn } from '../../domain/panel/records.ts';
import { computeCancelRefund } from '../../domain/panel/report.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import { buildPanelStates } from './panel-chart.ts';
import {
  type ComputeInput,
  createPanelContext,
  type PanelContext,
  type PanelSealInput,
  type PhaseNote,
  type SealedPanel,
} from './panel-context.ts';
import * as guards from './panel-guards.ts';
import { beginPhase, recordFailure, recordTurn } from './panel-turns.ts';

/** Percentage of the deadline after which the panel proceeds to the vote. */
const DEADLINE_SOFT_PERCENT = 80;

/** Events from outside. */
export type PanelEvent =
  /** Cancels the panel; the cost so far is charged. */
  | { readonly type: 'CANCEL' }
  /** No client is waiting any more; the panel continues. */
  | { readonly type: 'CLIENT.GONE' };

type EffectEvent =
  | { readonly type: 'xstate.done.actor.*'; readonly actorId: string; readonly output: unknown }
  | { readonly type: 'xstate.error.actor.*'; readonly actorId: string; readonly error: unknown };

/**
 * States before the phases of a panel, such as an evidence window.
 *
 * They are top-level states. `#<kind>.deliberating` starts the phases; `#<kind>.sealing` (with the
 * action `conclude`, params `{outcome, reason}`) ends the panel. Every state needs a description.
 */
export interface PanelPrelude {
  readonly initial: string;
  readonly states: Readonly<Record<string, object>>;
  /** Additional members of the context. */
  context?(input: PanelInput): Readonly<Record<string, unknown>>;
  /** Implementations for the states, as accepted by XState's `provide`. */
  readonly implementations?: {
    readonly actors?: Readonly<Record<string, unknown>>;
    readonly guards?: Readonly<Record<string, unknown>>;
    readonly actions?: Readonly<Record<string, unknown>>;
    readonly delays?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Creates the machine of a panel: one state per phase, within one deadline and budget.
 *
 * The panel always ends: by its turns, its budget, its deadline or a cancellation. Its actor id is
 * the job id. Turns are effects, one per phase, round and seat.
 */
export function createPanelMachine(
  panel: PanelDefinition,
  o: { readonly prelude?: PanelPrelude } = {},
) {
  const { prelude } = o;
  const beginning = ({ input }: { readonly input: PanelInput }): PanelContext => ({
    ...createPanelContext(panel, input),
    ...prelude?.context?.(input),
  });
  const machine = createPanelSetup(panel).createMachine({
    id: panel.kind,
    context: beginning,
    initial: prelude?.initial ?? 'deliberating',
    states: { ...(prelude?.states as object), ...buildPanelStates(panel) },
  });
  if (prelude?.implementations === undefined) return machine;
  return machine.provide(prelude.implementations as never) as typeof machine;
}

/** The machine of any panel. */
export type PanelMachine = ReturnType<typeof createPanelMachine>;

const COMPUTE_EFFECT = { compute: declareEffect<ComputeInput, PhaseNote>() };

function createPanelSetup(panel: PanelDefinition) {
  return setup({
    types: {} as {
      context: PanelContext;
      input: PanelInput;
      events: PanelEvent | EffectEvent;
      emitted: ActorSend;
    },
    actors: {
      turn: declareEffect<TurnOrder, Turn>(),
      seal: declareEffect<PanelSealInput, SealedPanel>(),
      // The engine requires an implementation of every declared effect, so unused ones are omitted.
      ...(panel.phases.some(({ by }) => by === 'code')
        ? COMPUTE_EFFECT
        : ({} as typeof COMPUTE_EFFECT)),
    },
    guards: { ...guards },
    delays: {
      softDeadline: ({ context }) =>
        Math.floor((context.input.deadlineMs * DEADLINE_SOFT_PERCENT) / 100),
      hardDeadline: ({ context }) => context.input.deadlineMs,
    },
    actions: {
      beginPhase: enqueueActions(({ context, enqueue }, { phase: name }: { phase: string }) => {
        const phase = findSeatPhase(panel, name);
        invariant(phase !== undefined, 'a chart begins phases of its panel');
        const { context: next, started } = beginPhase(panel, context, phase);
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
      keepNote: assign({
        notes: ({ context, event }, { phase }: { phase: string }) =>
          'output' in event
            ? { ...context.notes, [phase]: event.output as PhaseNote }
            : (context.notes ?? {}),
      }),
      count: assign(({ context }) => countBallots(panel, context)),
      conclude: assign(
        (_, { outcome, reason }: { outcome: PanelOutcome; reason: string | null }) => ({
          outcome,
          reason,
        }),
      ),
      keepSealed: assign({
        sealed: ({ event }) => ('output' in event ? (event.output as SealedPanel) : null),
      }),
      tellPayer: enqueueActions(({ context, enqueue }) => {
        const { paymentId: to } = context.input;
        if (to !== undefined)
          enqueue.emit({ type: 'actor.send', to, event: createPanelWorkEvent(context) });
      }),
    },
  });
}

function countBallots(
  panel: PanelDefinition,
  { input, turns, cutBy, notes = {} }: PanelContext,
): Pick<PanelContext, 'ballots' | 'tally'> {
  const { seats, devilSeatId, policy = {} } = input;
  const cast = createBallots(turns, seats, { carryPositions: cutBy !== null, devilSeatId });
  const ballots = panel.ballots?.(turns, cast) ?? cast;
  const summaries = Object.entries(notes).map(([phase, { summary }]) => [phase, summary] as const);
  const facts = { notes: Object.fromEntries(summaries), policy, seats };
  return { ballots, tally: panel.tally(ballots, { ...input, seats: seats.length }, facts) };
}

/** Creates the event for the payment at the end. */
export function createPanelWorkEvent(context: PanelContext): ActorSend['event'] {
  switch (context.outcome) {
    case 'decided':
      return { type: 'WORK.DONE' };
    case 'cancelled':
      return {
        type: 'WORK.CANCELLED',
        refundMicroUsd: computeCancelRefund(context.input, context.turns),
      };
    case 'no_quorum':
    case 'failed':
    case null:
      return { type: 'WORK.FAILED', reason: context.reason ?? 'the panel failed' };
  }
}
