import type { AnyMachineSnapshot } from 'xstate';
import { freeze } from './plain.ts';
import type { SnapshotRow, Write } from './ports.ts';
import { persist, stateName } from './snapshot.ts';
import type { StateHash } from './state-hash.ts';
import type { Send, StepResult } from './step.ts';
import { newTimers, step } from './step.ts';
import type {
  Ack,
  ActorStatus,
  Cause,
  Definition,
  EffectRow,
  Ev,
  JournalEntry,
  JournalKind,
  ListRow,
  TimerRow,
  View,
} from './types.ts';

/** An actor after one journal row. Never changed, only followed by the next one. */
export interface Moment {
  readonly snapshot: AnyMachineSnapshot;
  readonly seq: number;
  readonly at: number;
  readonly stuck: boolean;
  readonly hash: string;
  readonly timers: ReadonlyMap<string, TimerRow>;
  readonly effects: ReadonlyMap<string, EffectRow>;
  /** The trace that came last. */
  readonly trace: string | undefined;
}

/** What stays the same over an actor's life. */
export interface Subject {
  readonly id: string;
  readonly definition: Definition;
  /** The definition's version, but for actors that ended under an older one. */
  readonly version: number;
  readonly createdAt: number;
}

/** An event on its way into an actor, with the row that it takes away when it is taken. */
export interface Incoming {
  readonly event: Ev;
  readonly cause: Cause;
  readonly timerId?: string;
  readonly childId?: string;
  readonly trace?: string;
}

/** Where a row comes to stand. */
export interface Stamp {
  readonly at: number;
  readonly globalSeq: number;
}

/** What an event made of an actor. */
export interface Advance {
  readonly moment: Moment;
  readonly entry: JournalEntry;
  /** Timer and effect rows, without journal, snapshot and index. */
  readonly rows: readonly Write[];
  readonly sends: readonly Send[];
}

/**
 * Computes the moment after an event, and the rows that go with it.
 *
 * @param before - `undefined` for the first row; the event is then `xstate.init`.
 * @throws {EngineError} as `step`.
 */
export function advance(
  subject: Subject,
  before: Moment | undefined,
  incoming: Incoming,
  context: { readonly stamp: Stamp; readonly hash: StateHash },
): Advance {
  const { stamp, hash } = context;
  const result = step(subject.definition, before?.snapshot, freeze(incoming.event), stamp.at);
  const seq = (before?.seq ?? 0) + 1;
  const timers = timersAfter({ subject, seq, before, incoming, result });
  const effects = effectsAfter({ subject, seq, before, incoming, result });
  const moment: Moment = {
    snapshot: result.next,
    seq,
    at: stamp.at,
    stuck: false,
    hash: hashAfter(before, result, hash),
    timers,
    effects,
    trace: incoming.trace ?? before?.trace,
  };
  return {
    moment,
    entry: journalEntry(subject, moment, incoming, { stamp, entry: 'event', emits: result.emits }),
    rows: rowsBetween(subject.id, before, moment),
    sends: result.sends,
  };
}

function hashAfter(before: Moment | undefined, result: StepResult, hash: StateHash): string {
  return before !== undefined && !result.changed
    ? before.hash
    : hash(result.next, before?.snapshot);
}

/** The moment after a row that leaves the state as it was. */
export function standStill(before: Moment, stamp: Stamp): Moment {
  return { ...before, seq: before.seq + 1, at: stamp.at };
}

/** The moment in which an actor gets stuck: the row of the event that did it is taken away. */
export function stickAt(before: Moment, incoming: Incoming, stamp: Stamp): Moment {
  const timers = new Map(before.timers);
  const effects = new Map(before.effects);
  if (incoming.timerId !== undefined) timers.delete(incoming.timerId);
  if (incoming.childId !== undefined) effects.delete(incoming.childId);
  return { ...standStill(before, stamp), stuck: true, timers, effects };
}

/** Writes the journal row of a moment. */
export function journalEntry(
  subject: Subject,
  moment: Moment,
  incoming: Incoming,
  facts: { readonly stamp: Stamp; readonly entry: JournalKind; readonly emits?: readonly Ev[] },
): JournalEntry {
  const { cause, event } = incoming;
  const entry: JournalEntry = {
    id: subject.id,
    kind: subject.definition.kind,
    seq: moment.seq,
    globalSeq: facts.stamp.globalSeq,
    at: facts.stamp.at,
    entry: facts.entry,
    event,
    cause: freeze(cause),
    version: subject.version,
    value: moment.snapshot.value,
    status: statusOf(moment),
    hash: moment.hash,
    emits: facts.emits ?? NO_EMITS,
  };
  // Everybody who follows the engine is handed the same row.
  const { trace } = incoming;
  return Object.freeze(trace === undefined ? entry : { ...entry, trace });
}

/** The writes that turn the timer and effect rows of one moment into those of the next. */
export function rowsBetween(id: string, before: Moment | undefined, after: Moment): Write[] {
  const writes: Write[] = [];
  if (before?.timers !== after.timers) {
    const { gone, come } = difference(before?.timers ?? NO_TIMERS, after.timers);
    // A timer that is set anew stands under another due time: its old row goes first.
    for (const row of gone) writes.push({ del: 'timer', id, row });
    for (const row of come) writes.push({ put: 'timer', id, row });
  }
  if (before?.effects !== after.effects) {
    const { gone, come } = difference(before?.effects ?? NO_EFFECTS, after.effects);
    for (const { childId } of gone) writes.push({ del: 'effect', id, childId });
    for (const row of come) writes.push({ put: 'effect', id, row });
  }
  return writes;
}

/** The status as callers see it. */
export function statusOf(moment: Moment): ActorStatus {
  return moment.stuck ? 'stuck' : moment.snapshot.status;
}

/** The acknowledgement of a moment. */
export function ackOf(moment: Moment): Ack {
  const { seq, snapshot } = moment;
  return Object.freeze({ seq, value: snapshot.value, status: statusOf(moment) });
}

/** The snapshot row of a moment. */
export function snapshotRow(subject: Subject, moment: Moment): SnapshotRow {
  return {
    kind: subject.definition.kind,
    version: subject.version,
    seq: moment.seq,
    at: moment.at,
    createdAt: subject.createdAt,
    stuck: moment.stuck,
    snapshot: persist(moment.snapshot),
    timers: [...moment.timers.values()],
    effects: [...moment.effects.values()],
    ...(moment.trace === undefined ? {} : { trace: moment.trace }),
  };
}

/** The index row of a moment. */
export function listRow(subject: Subject, moment: Moment): ListRow {
  return Object.freeze({
    id: subject.id,
    kind: subject.definition.kind,
    state: stateName(moment.snapshot.value),
    status: statusOf(moment),
    seq: moment.seq,
    createdAt: subject.createdAt,
    at: moment.at,
  });
}

/** The view of a moment. */
export function viewOf(subject: Subject, moment: Moment): View {
  const { snapshot } = moment;
  return {
    id: subject.id,
    kind: subject.definition.kind,
    version: subject.version,
    seq: moment.seq,
    at: moment.at,
    createdAt: subject.createdAt,
    status: statusOf(moment),
    value: snapshot.value,
    context: snapshot.context,
    tags: [...snapshot.tags],
    ...(snapshot.output === undefined ? {} : { output: snapshot.output }),
    timers: [...moment.timers.values()],
    effects: [...moment.effects.values()],
  };
}

function difference<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>) {
  const gone: T[] = [];
  const come: T[] = [];
  before.forEach((row, key) => {
    if (after.get(key) !== row) gone.push(row);
  });
  after.forEach((row, key) => {
    if (before.get(key) !== row) come.push(row);
  });
  return { gone, come };
}

const NO_EMITS: readonly Ev[] = Object.freeze([]);
const NO_TIMERS: ReadonlyMap<string, TimerRow> = new Map();
const NO_EFFECTS: ReadonlyMap<string, EffectRow> = new Map();

interface Change {
  readonly subject: Subject;
  readonly seq: number;
  readonly before: Moment | undefined;
  readonly incoming: Incoming;
  readonly result: StepResult;
}

function timersAfter(change: Change): ReadonlyMap<string, TimerRow> {
  const { subject, seq, before, incoming, result } = change;
  const held = before?.timers ?? NO_TIMERS;
  if (result.next.status !== 'active') return held.size === 0 ? held : NO_TIMERS;
  const { timersSet, timersCancelled } = result;
  const untouched =
    incoming.timerId === undefined && timersSet.length === 0 && timersCancelled.length === 0;
  if (untouched) return held;
  const timers = new Map(held);
  if (incoming.timerId !== undefined) timers.delete(incoming.timerId);
  for (const timerId of timersCancelled) timers.delete(timerId);
  for (const { timerId, due, event, order } of newTimers(timers, timersSet)) {
    const token = `${subject.id}:${seq}:${timerId}`;
    timers.delete(timerId);
    timers.set(timerId, Object.freeze({ timerId, due, token, event, order }));
  }
  return timers;
}

function effectsAfter(change: Change): ReadonlyMap<string, EffectRow> {
  const { subject, seq, before, incoming, result } = change;
  const held = before?.effects ?? NO_EFFECTS;
  if (result.next.status !== 'active') return held.size === 0 ? held : NO_EFFECTS;
  const { effectsStarted, effectsStopped } = result;
  const untouched =
    incoming.childId === undefined && effectsStarted.length === 0 && effectsStopped.length === 0;
  if (untouched) return held;
  const effects = new Map(held);
  const trace = incoming.trace ?? before?.trace;
  if (incoming.childId !== undefined) effects.delete(incoming.childId);
  for (const childId of effectsStopped) effects.delete(childId);
  for (const effect of effectsStarted) {
    // Without a limit the first attempt begins with this very commit: no second write for it.
    const attempt = subject.definition.effects[effect.src]?.limit === undefined ? 1 : 0;
    const token = `${subject.id}:${seq}:${effect.childId}`;
    const row: EffectRow = { ...effect, token, attempt, waiting: false };
    // One that is started again without a stop comes last, as its row does.
    effects.delete(effect.childId);
    effects.set(effect.childId, Object.freeze(trace === undefined ? row : { ...row, trace }));
  }
  return effects;
}
