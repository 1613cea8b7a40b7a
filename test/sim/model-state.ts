import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { createActor, initialTransition, transition } from 'xstate';
import type { Ev, PersistedSnapshot, TimerRow } from '../../src/runtime/engine/types.ts';

/** A running effect, without what only its row knows. */
export interface ModelEffect {
  readonly src: string;
  readonly input: unknown;
  readonly token: string;
}

/** An actor after one row, computed by XState alone. */
export interface ModelState {
  readonly snapshot: AnyMachineSnapshot;
  readonly timers: ReadonlyMap<string, TimerRow>;
  readonly effects: ReadonlyMap<string, ModelEffect>;
}

/** A message that an event sends. */
export interface ModelSend {
  readonly to: string;
  readonly create?: { readonly kind: string; readonly input: unknown };
  readonly event?: Ev;
}

/** What an event does. */
export interface ModelStep extends ModelState {
  readonly sends: readonly ModelSend[];
  readonly emits: readonly Ev[];
}

/** Where a step stands. */
export interface ModelPlace {
  readonly id: string;
  readonly seq: number;
  readonly at: number;
  /** Row that the event takes away. */
  readonly timerId?: string | undefined;
  readonly childId?: string | undefined;
}

/**
 * What XState's own pure functions say that an event does; the engine has no part in it.
 *
 * @throws What the machine throws.
 */
export function modelStep(
  machine: AnyStateMachine,
  before: ModelState | undefined,
  event: Ev,
  place: ModelPlace,
): ModelStep {
  const [snapshot, actions] =
    before === undefined
      ? initialTransition(machine, event['input'] as never)
      : transition(machine, before.snapshot as never, event as never);
  const next = snapshot as AnyMachineSnapshot;
  if (next.status === 'error') throw next.error;
  const rows = new Rows(before, place);
  for (const action of actions as readonly ModelAction[]) rows.add(action);
  return { snapshot: next, ...rows.result(next.status === 'active') };
}

/** A state that starts from what was at rest: after a migration, or for a copy. */
export function modelAtRest(
  machine: AnyStateMachine,
  persisted: PersistedSnapshot,
  effects: ReadonlyMap<string, ModelEffect>,
): AnyMachineSnapshot {
  const children = Object.fromEntries(
    [...effects].map(([childId, { src, input }]) => [
      childId,
      { snapshot: { status: 'active', input }, src, syncSnapshot: false },
    ]),
  );
  const whole = { historyValue: {}, output: undefined, error: undefined, ...persisted, children };
  return createActor(machine, { snapshot: whole as never }).getSnapshot() as AnyMachineSnapshot;
}

/** The snapshot as XState itself persists it, without children. */
export function modelPersisted(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
): PersistedSnapshot {
  const whole = machine.getPersistedSnapshot(snapshot as never) as unknown as PersistedSnapshot;
  return inOneOrder(plain(whole));
}

/** A snapshot at rest with the states of its histories, which are sets, in one order. */
export function inOneOrder(persisted: PersistedSnapshot): PersistedSnapshot {
  const { status, value, context, historyValue, output } = persisted;
  const histories = Object.entries((historyValue ?? {}) as Record<string, { id: string }[]>);
  const history = Object.fromEntries(
    histories.map(([key, nodes]) => [key, [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))]),
  );
  const known = histories.length === 0 ? {} : { historyValue: history };
  return { status, value, context, ...known, ...(output === undefined ? {} : { output }) };
}

/** The hash that docs promise for a row: value and status, then each member of the context. */
export function modelHash({ value, status, context }: AnyMachineSnapshot): string {
  const members = Object.entries(context as Record<string, unknown>)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${memberText(member)}`);
  return sha(`${JSON.stringify({ value, status })}{${members.join(',')}}`);
}

/** The value as JSON keeps it. */
export function plain<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/** True when JSON keeps both values alike. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const texts = [JSON.stringify(left), JSON.stringify(right)];
  return texts[0] === texts[1] || isDeepStrictEqual(plain(left), plain(right));
}

interface ModelAction {
  readonly type: string;
  readonly params?: unknown;
}

class Rows {
  readonly #place: ModelPlace;
  readonly #timers: Map<string, TimerRow>;
  readonly #effects: Map<string, ModelEffect>;
  readonly #sends: ModelSend[] = [];
  readonly #emits: Ev[] = [];

  constructor(before: ModelState | undefined, place: ModelPlace) {
    this.#place = place;
    this.#timers = new Map(before?.timers);
    this.#effects = new Map(before?.effects);
    if (place.timerId !== undefined) this.#timers.delete(place.timerId);
    if (place.childId !== undefined) this.#effects.delete(place.childId);
  }

  add({ type, params }: ModelAction): void {
    const facts = (params ?? {}) as Readonly<Record<string, unknown>>;
    if (type === 'xstate.raise') this.#raise(facts);
    if (type === 'xstate.cancel') this.#timers.delete(String(facts['sendId']));
    if (type === 'xstate.spawnChild') this.#spawn(facts);
    if (type === 'xstate.stopChild') this.#effects.delete(String(facts['id']));
    if (type === 'xstate.emit') this.#emit(facts['event'] as Ev);
  }

  result(isActive: boolean): Omit<ModelStep, 'snapshot'> {
    return {
      timers: isActive ? this.#timers : new Map(),
      effects: isActive ? this.#effects : new Map(),
      sends: this.#sends,
      emits: this.#emits,
    };
  }

  #raise({ id, delay, event }: Readonly<Record<string, unknown>>): void {
    if (typeof delay !== 'number') return;
    const timerId = String(id);
    const { at, seq } = this.#place;
    const token = `${this.#place.id}:${seq}:${timerId}`;
    this.#timers.set(timerId, { timerId, due: at + delay, token, event: event as Ev });
  }

  #spawn({ id, src, input }: Readonly<Record<string, unknown>>): void {
    const token = `${this.#place.id}:${this.#place.seq}:${String(id)}`;
    this.#effects.set(String(id), { src: String(src), input, token });
  }

  #emit(event: Ev): void {
    const { type, to, kind, input } = event;
    if (type === 'actor.send') this.#sends.push({ to: String(to), event: event['event'] as Ev });
    else if (type === 'actor.create') {
      this.#sends.push({ to: String(to), create: { kind: String(kind), input } });
    } else this.#emits.push(event);
  }
}

function memberText(member: unknown): string {
  if (!Array.isArray(member)) return itemText(member);
  return sha(`[${member.map(itemText).join(',')}]`);
}

function itemText(item: unknown): string {
  const text = JSON.stringify(item);
  return typeof item === 'object' && item !== null ? sha(text) : text;
}

function sha(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
