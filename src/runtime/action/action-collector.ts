import type { AnyActorRef, AnyMachineSnapshot } from 'xstate';
import type { ActorReference } from '../child/actor-ref.ts';
import {
  addressOf,
  effectTokenOf,
  isActorReference,
  PARENT,
  referTo,
  SELF,
} from '../child/actor-ref.ts';
import { EngineError } from '../engine/error.ts';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';
import type { InertScope } from '../engine/scope.ts';
import { inertScope, stepSystem } from '../engine/scope.ts';
import type {
  ActionCall,
  LogEntry,
  NewEffect,
  NewTimer,
  StepResult,
  StepSend,
} from '../engine/step-types.ts';
import type { Definition, Ev } from '../engine/types.ts';
import { toStorable } from '../value/plain.ts';
import type { ActionFunction } from './action-table.ts';
import { actionTable, closures } from './action-table.ts';

/** Maximum sends, emits and actions per event. */
export const SENDS_MAX = 1_000;
/** Maximum children per event. */
export const STARTS_MAX = 10_000;

/** Type of the event of a timer that sends another event to another actor. */
export const DELAYED_SEND = 'engine.send';

/** The event of a delayed `sendTo`. */
export interface DelayedSend extends Ev {
  readonly to: ActorReference;
  readonly event: Ev;
}

/** An action as XState hands it over. */
export type CollectedAction = Parameters<InertScope['actionExecutor']>[0];

/** Collects the actions of one event, in order, and reduces them to their net result. */
export class ActionCollector {
  readonly #definition: Definition;
  readonly #at: number;
  readonly #hasChildren: boolean;
  // Most events have few actions, so the collections are created on demand.
  #timers: Map<string, NewTimer> | undefined;
  #unnamed = 0;
  #closures = 0;
  #cancelled: Set<string> | undefined;
  #started: Map<string, NewEffect> | undefined;
  #stopped: Set<string> | undefined;
  #ids: Map<AnyActorRef, string> | undefined;
  #before: AnyMachineSnapshot | undefined;
  #logs: LogEntry[] | undefined;
  readonly #sends: StepSend[] = [];
  readonly #emits: Ev[] = [];

  constructor(definition: Definition, at: number) {
    this.#definition = definition;
    this.#hasChildren = Object.keys(definition.children).length > 0;
    this.#at = at;
  }

  /** Collects what a step did: its actions, and the children that an `assign` spawned. */
  collect(
    actions: readonly CollectedAction[],
    before: AnyMachineSnapshot | undefined,
    next: AnyMachineSnapshot,
  ): void {
    this.#before = before;
    if (next.children !== before?.children) this.#nameSpawned(actions, next);
    for (const action of actions) this.#add(action);
  }

  /** Returns the children of a snapshot as references, which need no actor in memory. */
  referToChildren(next: AnyMachineSnapshot): AnyMachineSnapshot['children'] {
    const references: Record<string, ActorReference> = {};
    for (const [id, child] of Object.entries(next.children)) {
      const reference = this.toReference(child);
      if (reference !== undefined)
        references[isActorReference(child) ? id : reference.id] = reference;
    }
    return references as unknown as AnyMachineSnapshot['children'];
  }

  /** Returns the reference that stands for an actor in stored data. */
  readonly toReference = (value: unknown): ActorReference | undefined => {
    if (isActorReference(value)) return value;
    const { self } = inertScope(this.#definition.machine);
    if (value === self) return referTo(SELF);
    if (value === self._parent) return referTo(PARENT);
    const id = this.#ids?.get(value as AnyActorRef);
    return id === undefined ? undefined : referTo(id);
  };

  /** Returns the result of a timer that sends an event: nothing else changes. */
  send(current: AnyMachineSnapshot, { to, event }: DelayedSend): StepResult {
    this.#push(toSend(to, validateSend(event)));
    return this.result(current, false);
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
      logs: this.#logs ?? EMPTY_LIST,
    };
  }

  #add(action: CollectedAction): void {
    const params = (action.params ?? {}) as Record<string, unknown>;
    switch (action.type) {
      case 'xstate.raise':
        if (typeof params['delay'] === 'number') this.#setTimer(params, params['delay']);
        return;
      case 'xstate.cancel':
        this.#cancelTimer(String(params['sendId']));
        return;
      case 'xstate.spawnChild':
        this.#startSpawned(params);
        return;
      case 'xstate.stopChild':
        // XState passes the reference of the child as the parameters.
        this.#stopChild(action.params);
        return;
      case 'xstate.sendTo':
        this.#send(params);
        return;
      case 'xstate.emit':
        this.#addEmit(params['event'] as Ev);
        return;
      case 'xstate.log':
        this.#addLog(params);
        return;
      default:
        this.#addCall(action);
    }
  }

  /** Names the spawned children first: actions before the spawn may hold their references. */
  #nameSpawned(actions: readonly CollectedAction[], next: AnyMachineSnapshot): void {
    for (const { type, params } of actions) {
      if (type !== 'xstate.spawnChild') continue;
      const { actorRef, src, id } = params as Spawned;
      if (actorRef !== undefined) this.#nameChild(actorRef, src, id !== undefined);
    }
    for (const child of Object.values(next.children)) {
      const actor = child as AnyActorRef | ActorReference | undefined;
      if (actor === undefined || isActorReference(actor)) continue;
      if (this.#ids?.has(actor) === true) continue;
      const { id, sessionId, src, options } = actor as AnyActorRef & { readonly options: Spawned };
      this.#nameChild(actor, src, id !== sessionId);
      this.#start(actor, src, options.input);
    }
  }

  #nameChild(actor: AnyActorRef, src: unknown, isNamed: boolean): void {
    this.#ids ??= new Map();
    this.#ids.set(actor, isNamed ? actor.id : this.#freeName(String(src)));
  }

  /** Returns the first free name for a child without an id. */
  #freeName(src: string): string {
    const taken = new Set(this.#ids?.values());
    for (let n = 0; ; n += 1) {
      const name = `${src}.${n}`;
      if (!taken.has(name) && this.#before?.children[name] === undefined) return name;
    }
  }

  #startSpawned({ actorRef, src, input }: Record<string, unknown>): void {
    if (actorRef === undefined) {
      throw invalidDefinition(`${String(src)} is not declared in setup({actors})`);
    }
    this.#start(actorRef as AnyActorRef, src, input);
  }

  #start(actor: AnyActorRef, src: unknown, input: unknown): void {
    const childId = this.#ids?.get(actor) ?? actor.id;
    const { kind, effects, children } = this.#definition;
    if (typeof src !== 'string' || !(Object.hasOwn(effects, src) || Object.hasOwn(children, src))) {
      const name = typeof src === 'string' ? src : `an actor without a name (child ${childId})`;
      throw invalidDefinition(`${name} is not among the effects and children of ${kind}`);
    }
    checkName(childId, 'child');
    if (childId.startsWith('@') || childId.startsWith('#_')) {
      throw invalidDefinition(`the child name ${childId} must not start with @ or #_`);
    }
    this.#started ??= new Map();
    if (this.#started.size >= STARTS_MAX) {
      throw invalidDefinition(`one event can start at most ${STARTS_MAX} children`);
    }
    const effect = { childId, src, input: this.#toStorable(input, 'input') };
    const isSynced = (actor as { readonly _syncSnapshot?: boolean })._syncSnapshot === true;
    const systemId = stepSystem(this.#definition.machine).idOf(actor);
    if (systemId !== undefined) checkName(systemId, 'system');
    this.#started.set(childId, {
      ...effect,
      ...(isSynced ? { sync: true } : undefined),
      ...(systemId === undefined ? undefined : { systemId }),
    });
    if (Object.hasOwn(children, src)) this.#sends.push({ start: childId });
  }

  #stopChild(stopped: unknown): void {
    const childId = this.toReference(stopped)?.id;
    if (childId === undefined) return;
    const isNew = this.#started?.delete(childId) === true;
    this.#stopped ??= new Set();
    this.#stopped.add(childId);
    const wasRunning = isNew || this.#before?.children[childId] !== undefined;
    if (wasRunning && this.#hasChildren) this.#sends.push({ stop: childId });
  }

  #setTimer(params: Record<string, unknown>, delay: number): void {
    if (!Number.isFinite(delay))
      throw invalidDefinition('a delay must be a finite number of milliseconds');
    const event = this.#toStorable(params['event'] as Ev, 'event');
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

  #send(params: Record<string, unknown>): void {
    const { to, delay } = params;
    const reference = this.toReference(to);
    if (reference === undefined) {
      throw invalidDefinition(
        `${describe(to)} is not an actor that ${this.#definition.kind} knows`,
      );
    }
    if (typeof delay === 'number') {
      const { event, id } = params;
      const isOwn = reference.id === SELF;
      const delayed = { type: DELAYED_SEND, to: reference, event } satisfies Ev;
      this.#setTimer(isOwn ? params : { id, event: delayed }, delay);
      return;
    }
    const event = validateSend(this.#toStorable(params['event'] as Ev, 'event'));
    this.#push(toSend(reference, event));
  }

  #addEmit(emitted: Ev): void {
    this.#checkCount();
    const event = this.#toStorable(emitted, 'emitted event');
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

  #addLog({ label, value }: Record<string, unknown>): void {
    this.#logs ??= [];
    this.#logs.push({ label: typeof label === 'string' ? label : undefined, value });
  }

  /** An action of the user: it runs once the step is on disk. */
  #addCall({ type, info, params, exec }: CollectedAction): void {
    if (typeof exec !== 'function') {
      throw invalidDefinition(`the action ${type} is not in setup({actions})`);
    }
    const run = exec as ActionFunction;
    const name = actionTable(this.#definition.machine).nameOf(run);
    const { context, event } = info as { readonly context: unknown; readonly event: Ev };
    const call: ActionCall = {
      name: name ?? type,
      context: this.#toStorable(context, 'context') as ActionCall['context'],
      event: this.#toStorable(event, 'event'),
      ...(params === undefined ? {} : { params: this.#toStorable(params, 'params') }),
      ...(name === undefined ? { closure: this.#closures } : {}),
    };
    if (name === undefined) {
      this.#closures += 1;
      closures.set(call, run);
    }
    this.#push({ call });
  }

  #push(send: StepSend): void {
    this.#checkCount();
    this.#sends.push(send);
  }

  #checkCount(): void {
    if (this.#sends.length + this.#emits.length < SENDS_MAX + (this.#started?.size ?? 0)) return;
    throw invalidDefinition(`one event can have at most ${SENDS_MAX} sends and emits`);
  }

  #toStorable<T>(value: T, label: string): T {
    return toStorable(value, label, undefined, this.toReference);
  }
}

interface Spawned {
  readonly actorRef?: AnyActorRef;
  readonly src?: unknown;
  readonly id?: unknown;
  readonly input?: unknown;
}

/** Maximum length of the type of a delayed event without an id, which names its timer. */
const UNNAMED_CHARS_MAX = NAME_CHARS_MAX - 16;
const UNNAMED_LENGTH_TEXT = `up to ${UNNAMED_CHARS_MAX} letters`;
const LONG_EVENT_TYPE = `a delayed event without an id has a type of ${UNNAMED_LENGTH_TEXT}`;
const EMPTY_LIST: readonly never[] = [];

function toList<T>(items: Iterable<T> | undefined): readonly T[] {
  return items === undefined ? EMPTY_LIST : [...items];
}

function toSend(reference: ActorReference, event: Ev): StepSend {
  const address = addressOf(reference);
  if (address !== undefined) return { to: validateAddress(address), event };
  const effectToken = effectTokenOf(reference);
  if (effectToken !== undefined) return { effectToken, event };
  if (reference.id === PARENT) return { parent: true, event };
  return reference.id === SELF ? { self: true, event } : { child: reference.id, event };
}

function describe(target: unknown): string {
  return typeof target === 'string' ? target : 'the target of sendTo';
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
