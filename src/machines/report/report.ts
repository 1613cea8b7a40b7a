import { assign, enqueueActions, setup } from 'xstate';
import type { ReportInput, ReportOutcome, StepOutcome } from '../../domain/report/records.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type {
  BeginInput,
  ComposedReport,
  ComposeInput,
  ReportContext,
  ReportPlan,
  StepInput,
} from './report-context.ts';
import { createReportContext } from './report-context.ts';
import * as facts from './report-facts.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

/** Events from outside. */
export type ReportEvent =
  /** The buyer cancels: nothing is returned and the full price is refunded. */
  | { readonly type: 'CANCEL' }
  /** No client is waiting any more; the report continues. */
  | { readonly type: 'CLIENT.GONE' };

type Effects =
  | { readonly type: 'xstate.done.actor.begin'; readonly output: ReportPlan }
  | { readonly type: 'xstate.done.actor.step'; readonly output: StepOutcome }
  | { readonly type: 'xstate.done.actor.compose'; readonly output: ComposedReport }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown };

const machineSetup = setup({
  types: {} as {
    context: ReportContext;
    input: ReportInput;
    events: ReportEvent | Effects;
    emitted: ActorSend;
  },
  actors: {
    begin: declareEffect<BeginInput, ReportPlan>(),
    step: declareEffect<StepInput, StepOutcome>(),
    compose: declareEffect<ComposeInput, ComposedReport>(),
  },
  guards: {
    isFatal: ({ context }) => facts.isFatal(context),
    hasStep: ({ context }) => facts.nextStep(context) !== undefined,
    hasFound: ({ context }) => facts.hasFound(context),
    isAnswer: ({ event }) => facts.composedReportOf(event)?.isAnswer === true,
  },
  delays: { deadline: ({ context }) => context.input.deadlineMs },
  actions: {
    keepBegun: assign(({ context, event }) =>
      event.type === 'xstate.done.actor.begin' ? facts.applyPlan(context, event.output) : context,
    ),
    keepEnd: assign(({ context, event }) =>
      event.type === 'xstate.done.actor.step' ? facts.applyStepEnd(context, event.output) : context,
    ),
    keepBroken: assign(({ context, event }) =>
      'error' in event ? facts.applyStepFailure(context, event.error) : context,
    ),
    keepComposed: assign({ composed: ({ event }) => facts.composedReportOf(event) }),
    detach: assign({ detached: true }),
    conclude: assign(({ context, event }, { outcome }: { readonly outcome: ReportOutcome }) => ({
      outcome,
      reason: facts.reportOutcomeReason(outcome, context, event),
    })),
    tellPayer: enqueueActions(({ context, enqueue }) => {
      const { paymentId: to } = context.input;
      enqueue.emit({ type: 'actor.send', to, event: facts.createReportWorkEvent(context) });
    }),
  },
});

const conclude = (outcome: ReportOutcome) => ({ type: 'conclude', params: { outcome } }) as const;

/**
 * The report machine. Runs named steps in sequence, stores each result, then composes and signs the
 * answer. A failed step becomes a listed failure, unless it is required. Only an answer is charged.
 */
export const reportMachine = machineSetup.createMachine({
  id: 'report',
  context: createReportContext,
  initial: 'ordered',
  states: {
    ordered: {
      description: 'Plans the steps of the request.',
      invoke: {
        src: 'begin',
        id: 'begin',
        input: beginInput,
        onDone: { target: 'working', actions: 'keepBegun' },
        onError: { target: 'failed', actions: conclude('failed') },
      },
      on: {
        CANCEL: { target: 'aborted', actions: conclude('cancelled') },
        'CLIENT.GONE': { actions: 'detach' },
      },
    },
    working: {
      description: 'Runs the steps in sequence within one deadline.',
      initial: 'choosing',
      on: {
        CANCEL: { target: 'aborted', actions: conclude('cancelled') },
        'CLIENT.GONE': { actions: 'detach' },
      },
      after: {
        deadline: [
          { guard: 'hasFound', target: 'composing', actions: conclude('deadline') },
          { target: 'failed', actions: conclude('deadline') },
        ],
      },
      states: {
        choosing: {
          description: 'Chooses the next step, or composes the answer.',
          always: [
            { guard: 'isFatal', target: '#report.failed', actions: conclude('step_failed') },
            { guard: 'hasStep', target: 'running' },
            { target: '#report.composing', actions: conclude('complete') },
          ],
        },
        running: {
          description: 'Runs one step and stores its result.',
          invoke: {
            src: 'step',
            id: 'step',
            input: stepInput,
            onDone: { target: 'choosing', actions: 'keepEnd' },
            onError: { target: 'choosing', actions: 'keepBroken' },
          },
        },
      },
    },
    composing: {
      description: 'Composes the answer from the results and signs it.',
      on: { 'CLIENT.GONE': { actions: 'detach' } },
      invoke: {
        src: 'compose',
        id: 'compose',
        input: composeInput,
        onDone: [
          { guard: 'isAnswer', target: 'published', actions: 'keepComposed' },
          { target: 'failed', actions: ['keepComposed', conclude('no_answer')] },
        ],
        onError: { target: 'failed', actions: conclude('failed') },
      },
    },
    published: {
      description: 'The signed answer is available to the buyer.',
      type: 'final',
      entry: 'tellPayer',
    },
    aborted: {
      description: 'Cancelled by the buyer; the price is refunded.',
      type: 'final',
      entry: 'tellPayer',
    },
    failed: {
      description: 'No answer; the price is refunded.',
      type: 'final',
      entry: 'tellPayer',
    },
  },
});

type ContextArgs = { readonly context: ReportContext };

function beginInput({ context }: ContextArgs): BeginInput {
  return facts.createBeginInput(context);
}

function stepInput({ context }: ContextArgs): StepInput {
  return facts.createStepInput(context);
}

function composeInput({ context }: ContextArgs): ComposeInput {
  return facts.createComposeInput(context);
}
