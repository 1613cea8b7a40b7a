import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { CollectedAction, DelayedSend } from '../action/action-collector.ts';
import { ActionCollector, DELAYED_SEND } from '../action/action-collector.ts';
import { referTo } from '../child/actor-ref.ts';
import type { SystemView } from '../system/step-system.ts';
import { deepFreeze, toStorable } from '../value/plain.ts';
import { decode, isTyped } from '../value/typed-value.ts';
import { EngineError } from './error.ts';
import type { InertScope } from './scope.ts';
import { inertScope, stepSystem } from './scope.ts';
import type { NamedTimer, NewTimer, StepResult } from './step-types.ts';
import type { Definition, Ev } from './types.ts';

/** When a step happens, and what it sees of other actors. */
export interface StepMoment {
  /** Time in milliseconds; timer delays count from it. */
  readonly at: number;
  /** The system ids before the step. Default: none. */
  readonly system?: SystemView | undefined;
}

/**
 * Computes what one event changes, without side effects. Without `current` the event must be
 * `{type: 'xstate.init', input}`. The result of an effect always ends its child.
 *
 * @param moment - Its time in milliseconds; or the time and the system ids.
 * @throws {EngineError} `ACTOR_CLOSED` if `current` has ended; `EVENT_POISON` if a guard, an action
 * or a mapper throws, if nothing handles the error of an effect, or if the result cannot be stored.
 * `current` stays unchanged.
 */
export function step(
  definition: Definition,
  current: AnyMachineSnapshot | undefined,
  event: Ev,
  moment: number | StepMoment,
): StepResult {
  if (current !== undefined && current.status !== 'active') {
    throw new EngineError('ACTOR_CLOSED', `The actor has ended (${current.status}).`);
  }
  const { at, system } = typeof moment === 'number' ? { at: moment } : moment;
  const ids = stepSystem(definition.machine);
  ids.begin(system);
  try {
    return computeStep(definition, current, event, at);
  } catch (cause) {
    throw new EngineError('EVENT_POISON', `${event.type}: ${errorMessage(cause)}`, {
      data: { kind: definition.kind, eventType: event.type },
      cause,
    });
  } finally {
    ids.end();
  }
}

/**
 * Names the timers of a step and orders them after the pending ones. As in XState, each raise
 * without an id is a separate timer: it gets the first free name.
 *
 * @param pending - Pending timers without those that the step removed.
 */
export function* nameTimers(
  pending: ReadonlyMap<string, { readonly order?: number }>,
  timers: readonly NewTimer[],
): Generator<NamedTimer> {
  let order = 0;
  for (const row of pending.values()) order = Math.max(order, row.order ?? 0);
  const usedIds = new Set<string>();
  for (const timer of timers) {
    let { timerId } = timer;
    for (let n = 0; timerId === undefined; n += 1) {
      const name = `raise.${n}.${timer.event.type}`;
      if (!pending.has(name) && !usedIds.has(name)) timerId = name;
    }
    usedIds.add(timerId);
    order += 1;
    yield { ...timer, timerId, order };
  }
}

function computeStep(
  definition: Definition,
  current: AnyMachineSnapshot | undefined,
  event: Ev,
  at: number,
): StepResult {
  const { machine } = definition;
  const actions: CollectedAction[] = [];
  const scope: InertScope = {
    ...inertScope(machine),
    actionExecutor: (action) => {
      actions.push(action);
      // A child that is entered again in this step may take the ids of the one that leaves.
      if (action.type === 'xstate.stopChild') stepSystem(machine).free(action.params);
    },
  };
  if (current !== undefined && event.type === DELAYED_SEND) {
    return new ActionCollector(definition, at).send(current, event as DelayedSend);
  }
  const before = current === undefined ? undefined : withoutFinishedChild(current, event);
  const next: AnyMachineSnapshot =
    before === undefined
      ? machine.getInitialSnapshot(scope, decode(event['input']))
      : transition(machine, before, event, scope);
  if (next.status === 'error') throw next.error;
  const collector = new ActionCollector(definition, at);
  collector.collect(actions, before, next);
  const isChanged = next !== before || next !== current;
  return collector.result(toStorableSnapshot(next, before, collector), isChanged);
}

/** Runs the machine. It sees dates, maps and sets instead of their stored forms. */
function transition(
  machine: AnyStateMachine,
  before: AnyMachineSnapshot,
  event: Ev,
  scope: InertScope,
): AnyMachineSnapshot {
  if (!isTyped(before.context)) return machine.transition(before, decode(event), scope);
  const context: unknown = decode(before.context);
  const decoded = { ...before, context } as AnyMachineSnapshot;
  const next = machine.transition(decoded, decode(event), scope);
  if (next === decoded) return before;
  return next.context === context ? Object.assign(next, { context: before.context }) : next;
}

/** Normalizes a snapshot so that its values equal those after a restore from disk. */
function toStorableSnapshot(
  next: AnyMachineSnapshot,
  before: AnyMachineSnapshot | undefined,
  collector: ActionCollector,
) {
  const { toReference } = collector;
  deepFreeze(next.value);
  if (next.children !== before?.children) {
    Object.assign(next, { children: collector.referToChildren(next) });
  }
  if (next.output !== undefined) {
    Object.assign(next, { output: toStorable(next.output, 'output', undefined, toReference) });
  }
  if (next.context === before?.context) return next;
  const context = toStorable(next.context, 'context', before?.context, toReference);
  return Object.assign(next, { context });
}

/** The thrown value may be the plain error object of an effect that nothing handled. */
function errorMessage(thrown: unknown): string {
  const message = (thrown as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : String(thrown);
}

function withoutFinishedChild(current: AnyMachineSnapshot, event: Ev): AnyMachineSnapshot {
  const childId = event['actorId'];
  if (typeof childId !== 'string' || !isEffectResult(event) || !(childId in current.children)) {
    return current;
  }
  stepSystem(current.machine as AnyStateMachine).free(referTo(childId));
  const { [childId]: _finished, ...children } = current.children;
  return { ...current, children } as AnyMachineSnapshot;
}

/** Returns whether an event is the result of an effect or a child, which ends it. */
export function isEffectResult(event: Ev): boolean {
  return (
    event.type.startsWith('xstate.done.actor.') || event.type.startsWith('xstate.error.actor.')
  );
}
