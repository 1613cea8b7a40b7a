import type { AnyActorRef, AnyMachineSnapshot } from 'xstate';
import { EngineError } from './error.ts';
import { isName, NAME_CHARS_MAX } from './name.ts';
import { deepFreeze, toStorable } from './plain.ts';
import type { InertScope } from './scope.ts';
import { inertScope } from './scope.ts';
import type { Definition, Ev } from './types.ts';

/** Maximum sends and emits per event. */
export const SENDS_MAX = 1_000;

/** A timer that a step sets. */
export interface NewTimer {
  /** `undefined` for a raise without an id, which gets its name later. */
  readonly timerId: string | undefined;
  /** Milliseconds since 1970. */
  readonly due: number;
  readonly event: Ev;
}

/** A timer with its name and its order among the timers of its actor. */
export interface NamedTimer extends NewTimer {
  readonly timerId: string;
  readonly order: number;
}

/** An effect that a step starts. */
export interface NewEffect {
  readonly childId: string;
  readonly src: string;
  readonly input: unknown;
}

/** A message that a step sends to another actor. */
export interface Send {
  readonly to: string;
  readonly create?: { readonly kind: string; readonly input: unknown };
  readonly event?: Ev;
}

/** What one event changes in an actor. Apply removals before additions. */
export interface StepResult {
  readonly next: AnyMachineSnapshot;
  /** `false` if no transition handled the event. */
  readonly changed: boolean;
  readonly timersSet: readonly NewTimer[];
  readonly timersCancelled: readonly string[];
  readonly effectsStarted: readonly NewEffect[];
  readonly effectsStopped: readonly string[];
  readonly sends: readonly Send[];
  readonly emits: readonly Ev[];
}

/**
 * Computes what one event changes, without side effects. Without `current` the event must be
 * `{type: 'xstate.init', input}`. The result of an effect always ends its child.
 *
 * @param at - Time in milliseconds; timer delays count from it.
 * @throws {EngineError} `ACTOR_CLOSED` if `current` has ended; `EVENT_POISON` if a guard, an action
 * or a mapper throws, if nothing handles the error of an effect, or if the result cannot be stored.
 * `current` stays unchanged.
 */
export function step(
  definition: Definition,
  current: AnyMachineSnapshot | undefined,
  event: Ev,
  at: number,
): StepResult {
  if (current !== undefined && current.status !== 'active') {
    throw new EngineError('ACTOR_CLOSED', `The actor has ended (${current.status}).`);
  }
  try {
    return computeStep(definition, current, event, at);
  } catch (cause) {
    throw new EngineError('EVENT_POISON', `${event.type}: ${errorMessage(cause)}`, {
      data: { kind: definition.kind, eventType: event.type },
      cause,
    });
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

type Action = Parameters<InertScope['actionExecutor']>[0];

function computeStep(
  definition: Definition,
  current: AnyMachineSnapshot | undefined,
  event: Ev,
  at: number,
): StepResult {
  const { machine } = definition;
  const actions: Action[] = [];
  const scope: InertScope = {
    ...inertScope(machine),
    actionExecutor: (action) => {
      actions.push(action);
    },
  };
  const before = current === undefined ? undefined : withoutFinishedChild(current, event);
  const next: AnyMachineSnapshot =
    before === undefined
      ? machine.getInitialSnapshot(scope, event['input'])
      : machine.transition(before, event, scope);
  if (next.status === 'error') throw next.error;
  const collector = new ActionCollector(definition, at);
  for (const action of actions) collector.add(action);
  collector.rejectHiddenChildren(before, next);
  return collector.result(toStorableSnapshot(next, before), next !== before || next !== current);
}

/** Normalizes a snapshot so that its values equal those after a restore from disk. */
function toStorableSnapshot(next: AnyMachineSnapshot, before: AnyMachineSnapshot | undefined) {
  deepFreeze(next.value);
  if (next.output !== undefined) Object.assign(next, { output: toStorable(next.output, 'output') });
  if (next.context === before?.context) return next;
  return Object.assign(next, { context: toStorable(next.context, 'context', before?.context) });
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
  const { [childId]: _finished, ...children } = current.children;
  return { ...current, children } as AnyMachineSnapshot;
}

function isEffectResult(event: Ev): boolean {
  return (
    event.type.startsWith('xstate.done.actor.') || event.type.startsWith('xstate.error.actor.')
  );
}

/** Collects the actions of one event, in order, and reduces them to their net result. */
class ActionCollector {
  readonly #definition: Definition;
  readonly #at: number;
  // Most events have few actions, so the collections are created on demand.
  #timers: Map<string, NewTimer> | undefined;
  #unnamed = 0;
  #cancelled: Set<string> | undefined;
  #started: Map<string, NewEffect> | undefined;
  #stopped: Set<string> | undefined;
  readonly #sends: Send[] = [];
  readonly #emits: Ev[] = [];

  constructor(definition: Definition, at: number) {
    this.#definition = definition;
    this.#at = at;
  }

  add(action: Action): void {
    const params = (action.params ?? {}) as Record<string, unknown>;
    switch (action.type) {
      case 'xstate.raise':
        if (typeof params['delay'] === 'number') this.#setTimer(params, params['delay']);
        return;
      case 'xstate.cancel':
        this.#cancelTimer(String(params['sendId']));
        return;
      case 'xstate.spawnChild':
        this.#startEffect(params);
        return;
      case 'xstate.stopChild':
        // XState passes the reference of the child as the parameters.
        this.#stopEffect(params['id']);
        return;
      case 'xstate.emit':
        this.#addEmit(params['event'] as Ev);
        return;
      default:
        throw invalidDefinition(`the engine cannot persist the action ${action.type}`);
    }
  }

  /** A `spawn` inside an `assign` leaves no action, so the effect would be lost silently. */
  rejectHiddenChildren(before: AnyMachineSnapshot | undefined, next: AnyMachineSnapshot): void {
    if (next.children === before?.children) return;
    for (const childId in next.children) {
      if (this.#started?.has(childId) !== true && before?.children[childId] === undefined) {
        throw invalidDefinition(
          `the effect ${childId} was spawned inside an assign; use spawnChild`,
        );
      }
    }
  }

  result(next: AnyMachineSnapshot, changed: boolean): StepResult {
    return {
      next,
      changed,
      timersSet: toList(this.#timers?.values()),
      timersCancelled: toList(this.#cancelled),
      effectsStarted: toList(this.#started?.values()),
      effectsStopped: toList(this.#stopped),
      sends: this.#sends,
      emits: this.#emits,
    };
  }

  #setTimer(params: Record<string, unknown>, delay: number): void {
    if (!Number.isFinite(delay))
      throw invalidDefinition('a delay must be a finite number of milliseconds');
    const event = toStorable(params['event'] as Ev, 'event');
    const id = params['id'];
    const timerId = typeof id === 'string' ? id : undefined;
    if (timerId !== undefined) checkName(timerId, 'timer');
    else if (event.type.length > UNNAMED_CHARS_MAX) throw invalidDefinition(LONG_EVENT_TYPE);
    this.#timers ??= new Map();
    const due = this.#at + Math.max(0, delay);
    const key = timerId ?? `\n${this.#unnamed}`;
    if (timerId === undefined) this.#unnamed += 1;
    // A timer set again comes after those that were set meanwhile.
    this.#timers.delete(key);
    this.#timers.set(key, { timerId, due, event });
  }

  #cancelTimer(timerId: string): void {
    this.#timers?.delete(timerId);
    this.#cancelled ??= new Set();
    this.#cancelled.add(timerId);
  }

  #startEffect(params: Record<string, unknown>): void {
    const ref = params['actorRef'] as AnyActorRef | undefined;
    const { src, input } = params;
    if (typeof src !== 'string' || !(src in this.#definition.effects)) {
      throw invalidDefinition(`${String(src)} is not a named effect of ${this.#definition.kind}`);
    }
    if (ref === undefined || params['id'] === undefined) {
      throw invalidDefinition(`the effect ${src} was spawned without an id`);
    }
    checkName(ref.id, 'effect');
    this.#started ??= new Map();
    this.#started.set(ref.id, { childId: ref.id, src, input: toStorable(input, 'input') });
  }

  #stopEffect(childId: unknown): void {
    if (typeof childId !== 'string') return;
    this.#started?.delete(childId);
    this.#stopped ??= new Set();
    this.#stopped.add(childId);
  }

  #addEmit(emitted: Ev): void {
    if (this.#sends.length + this.#emits.length >= SENDS_MAX) {
      throw invalidDefinition(`one event can have at most ${SENDS_MAX} sends and emits`);
    }
    const event = toStorable(emitted, 'emitted event');
    const { type, to } = event;
    if (type === 'actor.send') {
      this.#sends.push({ to: validateAddress(to), event: validateSend(event['event']) });
    } else if (type === 'actor.create') {
      const kind = String(event['kind']);
      this.#sends.push({ to: validateAddress(to), create: { kind, input: event['input'] } });
    } else {
      this.#emits.push(event);
    }
  }
}

/** Maximum length of the type of a delayed event without an id, which names its timer. */
const UNNAMED_CHARS_MAX = NAME_CHARS_MAX - 16;
const UNNAMED_LENGTH_TEXT = `up to ${UNNAMED_CHARS_MAX} letters`;
const LONG_EVENT_TYPE = `a delayed event without an id has a type of ${UNNAMED_LENGTH_TEXT}`;
const EMPTY_LIST: readonly never[] = [];

function toList<T>(items: Iterable<T> | undefined): readonly T[] {
  return items === undefined ? EMPTY_LIST : [...items];
}

function validateAddress(to: unknown): string {
  if (typeof to !== 'string') throw invalidDefinition('a send must have an address');
  checkName(to, 'address');
  return to;
}

function checkName(name: string, what: string): void {
  if (!isName(name))
    throw invalidDefinition(
      `the ${what} name must have 1 to ${NAME_CHARS_MAX} printable characters`,
    );
}

function validateSend(event: unknown): Ev {
  const type = (event as Ev | undefined)?.type;
  if (typeof type !== 'string' || type === '' || type.startsWith('xstate.')) {
    throw invalidDefinition('a send must have an event with a custom type');
  }
  return event as Ev;
}

function invalidDefinition(message: string): EngineError {
  return new EngineError('DEFINITION_INVALID', message);
}
