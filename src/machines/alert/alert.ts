import { assign, enqueueActions, setup } from 'xstate';
import { declareEffect } from '../common/effect.ts';
import type { ActorCreate, ActorSend } from '../common/messages.ts';
import type {
  AlertContext,
  AlertEvent,
  AlertInput,
  AlertReadInput,
  AlertReading,
} from './alert-context.ts';
import { createAlertContext } from './alert-context.ts';
import {
  computeStaleAt,
  hasGap,
  hasHeldLongEnough,
  isClockSetBack,
  mayRearm,
  readReading,
} from './alert-evaluation.ts';
import { createMessages } from './alert-messages.ts';
import {
  applyReading,
  closeAlert,
  evaluateEvent,
  moveTo,
  moveToStale,
} from './alert-transitions.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const version = 1;

const alertSetup = setup({
  types: {} as {
    context: AlertContext;
    input: AlertInput;
    events: AlertEvent;
    emitted: ActorCreate | ActorSend;
  },
  actors: { read: declareEffect<AlertReadInput, AlertReading>() },
  guards: {
    isClockBack: ({ context, event }) =>
      isClockSetBack(context, readReading(event)?.at ?? Infinity),
    isGap: ({ context, event }) => hasGap(context, readReading(event)?.at ?? 0),
    bringsEvidence: ({ context, event }) => evaluateEvent(context, event) !== undefined,
    isMet: ({ context, event }) => {
      const now = evaluateEvent(context, event);
      return now !== undefined && hasHeldLongEnough(context, now);
    },
    isReleased: ({ context, event }) => {
      const now = evaluateEvent(context, event);
      return now !== undefined && mayRearm(context, now);
    },
    wasFired: ({ context, event }) =>
      context.latch === 'fired' && evaluateEvent(context, event) !== undefined,
    endsGapAsFired: ({ context, event }) =>
      context.latch === 'fired' && hasGapEnded(context, event),
    endsGap: ({ context, event }) => hasGapEnded(context, event),
    isManual: ({ context }) => context.definition.rearm === 'manual',
  },
  actions: {
    note: assign(({ context, event }) => applyReading(context, event)),
    arm: assign(({ context, event }) => moveTo(context, event, 'armed')),
    fire: assign(({ context, event }) => moveTo(context, event, 'fired')),
    goStale: assign(({ context, event }) => moveToStale(context, event)),
    close: assign(({ event }) => closeAlert(event)),
    tell: enqueueActions(({ context, enqueue }) => {
      for (const message of createMessages(context)) enqueue.emit(message);
    }),
  },
  delays: {
    staleDue: ({ context }) => computeStaleAt(context) - context.lastAt,
    nextReading: ({ context }) => context.definition.evalIntervalMs,
    life: ({ context }) => context.definition.lifeMs,
  },
});

/**
 * The alert machine. It arms and fires on evidence only: a reading without a fresh value is neither
 * recovery nor alarm, and eventually makes the alert stale.
 */
export const alertMachine = alertSetup.createMachine({
  id: 'alert',
  context: createAlertContext,
  initial: 'active',
  states: {
    active: {
      description: 'Watches the source; the trigger is armed, fired or stale.',
      type: 'parallel',
      on: { 'ALERT.DELETED': { target: 'ended', actions: 'close' } },
      after: { life: { target: 'ended', actions: 'close' } },
      states: {
        trigger: {
          description: 'State of the condition.',
          initial: 'created',
          states: {
            created: {
              description: 'Before the first reading; gives no protection yet.',
              on: {
                'xstate.done.actor.read': [
                  { guard: 'isMet', target: 'fired', actions: ['fire', 'tell'] },
                  { guard: 'bringsEvidence', target: 'armed', actions: ['arm', 'tell'] },
                  { target: 'stale', actions: ['goStale', 'tell'] },
                ],
                'xstate.error.actor.read': { target: 'stale', actions: ['goStale', 'tell'] },
              },
            },
            armed: {
              description: 'Data is fresh; the condition has not held long enough.',
              tags: ['fresh'],
              on: {
                'xstate.done.actor.read': [
                  { guard: 'isClockBack', target: 'stale', actions: ['goStale', 'tell'] },
                  { guard: 'isGap', target: 'stale', actions: ['goStale', 'tell'] },
                  { guard: 'isMet', target: 'fired', actions: ['fire', 'tell'] },
                  { guard: 'bringsEvidence', target: 'armed', reenter: true, actions: 'note' },
                  { actions: 'note' },
                ],
                'xstate.error.actor.read': { actions: 'note' },
              },
              after: { staleDue: { target: 'stale', actions: ['goStale', 'tell'] } },
            },
            fired: {
              description: 'The condition was met; clear data or the owner rearms it.',
              tags: ['fresh'],
              on: {
                'xstate.done.actor.read': [
                  { guard: 'isClockBack', target: 'stale', actions: ['goStale', 'tell'] },
                  { guard: 'isGap', target: 'stale', actions: ['goStale', 'tell'] },
                  { guard: 'isReleased', target: 'armed', actions: ['arm', 'tell'] },
                  { guard: 'bringsEvidence', target: 'fired', reenter: true, actions: 'note' },
                  { actions: 'note' },
                ],
                'xstate.error.actor.read': { actions: 'note' },
                'ALERT.REARM': { guard: 'isManual', target: 'armed', actions: ['arm', 'tell'] },
              },
              after: { staleDue: { target: 'stale', actions: ['goStale', 'tell'] } },
            },
            stale: {
              description:
                'No fresh data: neither fires nor resolves, and keeps its previous state.',
              always: [
                { guard: 'endsGapAsFired', target: 'fired', actions: ['fire', 'tell'] },
                { guard: 'endsGap', target: 'armed', actions: ['arm', 'tell'] },
              ],
              on: {
                'xstate.done.actor.read': [
                  { guard: 'wasFired', target: 'fired', actions: ['fire', 'tell'] },
                  { guard: 'bringsEvidence', target: 'armed', actions: ['arm', 'tell'] },
                  { actions: 'note' },
                ],
                'xstate.error.actor.read': { actions: 'note' },
              },
            },
          },
        },
        watch: {
          description: 'Schedule of the readings.',
          initial: 'reading',
          states: {
            reading: {
              description: 'Reads the source.',
              invoke: {
                src: 'read',
                id: 'read',
                input: readInput,
                onDone: { target: 'waiting' },
                onError: { target: 'waiting' },
              },
            },
            waiting: {
              description: 'Waits for the next reading.',
              after: { nextReading: { target: 'reading' } },
            },
          },
        },
      },
    },
    ended: {
      description: 'Expired or deleted; its last state stays readable.',
      type: 'final',
    },
  },
});

function readInput({ context }: { readonly context: AlertContext }): AlertReadInput {
  const { definition, eventSeq, createdAt } = context;
  const { subject, op, windowMs } = definition;
  return { subject, eventSeq, op, windowMs, since: createdAt };
}

/**
 * Returns whether the reading that showed a gap also ends it. A reading that showed a clock jump
 * does not.
 */
function hasGapEnded(context: AlertContext, event: AlertEvent): boolean {
  const gap = context.history.at(-1);
  const isOfThis = gap !== undefined && gap.at === readReading(event)?.at;
  return isOfThis && gap.reason !== 'clock' && evaluateEvent(context, event) !== undefined;
}
