import type { AnyMachineSnapshot } from 'xstate';
import type { Send } from '../child/resolve-sends.ts';
import { resolveSends } from '../child/resolve-sends.ts';
import type { SearchValues } from '../search/search-types.ts';
import type { SystemTable } from '../system/system-table.ts';
import { ownSystemView } from '../system/system-table.ts';
import { deepFreeze } from '../value/plain.ts';
import type { ContextParts, StateDigest, StateHash } from '../value/state-hash.ts';
import { decode } from '../value/typed-value.ts';
import type { ParentLink, SnapshotRow, Write } from './ports.ts';
import { persist, stateName } from './snapshot.ts';
import { nameTimers, step } from './step.ts';
import type { LogEntry, StepResult } from './step-types.ts';
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

/** State of an actor after one journal row. Immutable: each row produces a new one. */
export interface ActorState {
  readonly snapshot: AnyMachineSnapshot;
  readonly seq: number;
  readonly at: number;
  readonly stuck: boolean;
  readonly hash: string;
  /** The hashed parts of the context, for the hash of the next state. */
  readonly hashParts: ContextParts;
  readonly timers: ReadonlyMap<string, TimerRow>;
  readonly effects: ReadonlyMap<string, EffectRow>;
  /** The trace that arrived last. */
  readonly trace: string | undefined;
}

/** Properties of an actor that do not change while it lives. */
export interface Subject {
  readonly id: string;
  readonly definition: Definition;
  /** The definition's version, except for actors that ended under an older one. */
  readonly version: number;
  readonly createdAt: number;
  /** Present for a child machine. */
  readonly parent?: ParentLink;
}

/** An event to be applied to an actor, with the timer or effect row that it consumes. */
export interface Incoming {
  readonly event: Ev;
  readonly cause: Cause;
  readonly timerId?: string;
  readonly childId?: string;
  readonly trace?: string;
}

/** Position of a row in the journal. */
export interface JournalPosition {
  readonly at: number;
  /** The time by the clock, if it is earlier than that of the row before; delays count from it. */
  readonly now?: number;
  readonly globalSeq: number;
}

/** Result of applying an event to an actor. */
export interface Advance {
  readonly state: ActorState;
  readonly entry: JournalEntry;
  /** Timer and effect rows, without journal, snapshot and index. */
  readonly rows: readonly Write[];
  readonly sends: readonly Send[];
  readonly logs: readonly LogEntry[];
}

/** How a row is computed. */
export interface AdvanceContext {
  readonly stamp: JournalPosition;
  readonly hash: StateHash;
  /** Last row of an earlier actor with this id; the first row of this one follows it. */
  readonly afterSeq?: number;
  /** The system ids of all actors. Default: those of the actor's own effects and children. */
  readonly systems?: SystemTable;
}

/**
 * Computes the state after an event and the rows that belong to it.
 *
 * @param before - `undefined` for the first row; the event is then `xstate.init`.
 * @throws {EngineError} The errors of `step`.
 */
export function advance(
  subject: Subject,
  before: ActorState | undefined,
  incoming: Incoming,
  context: AdvanceContext,
): Advance {
  const { stamp, hash, afterSeq = 0, systems } = context;
  const system = systems === undefined ? ownSystemView(subject, before) : systems.view(subject);
  const moment = { at: stamp.now ?? stamp.at, system };
  const result = step(subject.definition, before?.snapshot, deepFreeze(incoming.event), moment);
  const seq = (before?.seq ?? afterSeq) + 1;
  const timers = computeTimers({ subject, seq, before, incoming, result });
  const effects = computeEffects({ subject, seq, before, incoming, result });
  const { hash: digest, hashParts } = computeHash(before, result, hash);
  const state: ActorState = {
    snapshot: result.next,
    seq,
    at: stamp.at,
    stuck: false,
    hash: digest,
    hashParts,
    timers,
    effects,
    trace: incoming.trace ?? before?.trace,
  };
  return {
    state,
    entry: toJournalEntry(subject, state, incoming, {
      stamp,
      entry: 'event',
      emits: result.emits,
    }),
    rows: diffStates(subject.id, before, state),
    sends: resolveSends({ subject, seq, before, incoming, result }),
    logs: result.logs,
  };
}

function computeHash(
  before: ActorState | undefined,
  result: StepResult,
  hash: StateHash,
): StateDigest {
  return before !== undefined && !result.changed ? before : hash(result.next, before?.hashParts);
}

/** Returns the state after a row that changes nothing but the sequence number and the time. */
export function advanceUnchanged(before: ActorState, stamp: JournalPosition): ActorState {
  return { ...before, seq: before.seq + 1, at: stamp.at };
}

/** Returns the state of an actor that gets stuck; the row that sent the event is removed. */
export function markStuck(
  before: ActorState,
  incoming: Incoming,
  stamp: JournalPosition,
): ActorState {
  const timers = new Map(before.timers);
  const effects = new Map(before.effects);
  if (incoming.timerId !== undefined) timers.delete(incoming.timerId);
  if (incoming.childId !== undefined) effects.delete(incoming.childId);
  return { ...advanceUnchanged(before, stamp), stuck: true, timers, effects };
}

/** Creates the journal row for a state. */
export function toJournalEntry(
  subject: Subject,
  moment: ActorState,
  incoming: Incoming,
  facts: {
    readonly stamp: JournalPosition;
    readonly entry: JournalKind;
    readonly emits?: readonly Ev[];
  },
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
    cause: deepFreeze(cause),
    version: subject.version,
    value: moment.snapshot.value,
    status: getStatus(moment),
    hash: moment.hash,
    emits: facts.emits ?? NO_EMITS,
  };
  // All subscribers of the engine receive the same row object.
  const { trace } = incoming;
  return Object.freeze(trace === undefined ? entry : { ...entry, trace });
}

/** Returns the writes that turn the timer and effect rows of one state into those of the next. */
export function diffStates(id: string, before: ActorState | undefined, after: ActorState): Write[] {
  const writes: Write[] = [];
  if (before?.timers !== after.timers) {
    const { gone, come } = diffRows(before?.timers ?? NO_TIMERS, after.timers);
    // A rescheduled timer has another due time in its key, so its old row is deleted first.
    for (const row of gone) writes.push({ del: 'timer', id, row });
    for (const row of come) writes.push({ put: 'timer', id, row });
  }
  if (before?.effects !== after.effects) {
    const { gone, come } = diffRows(before?.effects ?? NO_EFFECTS, after.effects);
    for (const { childId } of gone) writes.push({ del: 'effect', id, childId });
    for (const row of come) writes.push({ put: 'effect', id, row });
  }
  return writes;
}

/** Returns the status that callers see. */
export function getStatus(moment: ActorState): ActorStatus {
  return moment.stuck ? 'stuck' : moment.snapshot.status;
}

/** Creates the acknowledgement for a state. */
export function toAck(state: ActorState): Ack {
  const { seq, snapshot } = state;
  return Object.freeze({ seq, value: snapshot.value, status: getStatus(state) });
}

/** Creates the snapshot row for a state. */
export function toSnapshotRow(subject: Subject, moment: ActorState): SnapshotRow {
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
    ...(subject.parent === undefined ? {} : { parent: subject.parent }),
  };
}

/** Creates the index row for a state. Without `attributes` they are unknown. */
export function toListRow(
  subject: Subject,
  moment: ActorState,
  attributes?: SearchValues,
): ListRow {
  const row: ListRow = {
    id: subject.id,
    kind: subject.definition.kind,
    state: stateName(moment.snapshot.value),
    status: getStatus(moment),
    seq: moment.seq,
    createdAt: subject.createdAt,
    at: moment.at,
  };
  return Object.freeze(attributes === undefined ? row : { ...row, attributes });
}

/** Creates the view of a state. */
export function toView(subject: Subject, moment: ActorState): View {
  const { snapshot } = moment;
  return {
    id: subject.id,
    kind: subject.definition.kind,
    version: subject.version,
    seq: moment.seq,
    at: moment.at,
    createdAt: subject.createdAt,
    status: getStatus(moment),
    value: snapshot.value,
    context: decode(snapshot.context as View['context']),
    tags: [...snapshot.tags],
    ...(snapshot.output === undefined ? {} : { output: decode(snapshot.output) as unknown }),
    ...(snapshot.error === undefined ? {} : { error: snapshot.error }),
    timers: [...moment.timers.values()],
    effects: [...moment.effects.values()],
  };
}

function diffRows<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>) {
  const removed: T[] = [];
  const added: T[] = [];
  before.forEach((row, key) => {
    if (after.get(key) !== row) removed.push(row);
  });
  after.forEach((row, key) => {
    if (before.get(key) !== row) added.push(row);
  });
  return { gone: removed, come: added };
}

const NO_EMITS: readonly Ev[] = Object.freeze([]);
const NO_TIMERS: ReadonlyMap<string, TimerRow> = new Map();
const NO_EFFECTS: ReadonlyMap<string, EffectRow> = new Map();

interface StepChange {
  readonly subject: Subject;
  readonly seq: number;
  readonly before: ActorState | undefined;
  readonly incoming: Incoming;
  readonly result: StepResult;
}

function computeTimers(change: StepChange): ReadonlyMap<string, TimerRow> {
  const { subject, seq, before, incoming, result } = change;
  const previous = before?.timers ?? NO_TIMERS;
  if (result.next.status !== 'active') return previous.size === 0 ? previous : NO_TIMERS;
  const { timersSet, timersCancelled } = result;
  const isUnchanged =
    incoming.timerId === undefined && timersSet.length === 0 && timersCancelled.length === 0;
  if (isUnchanged) return previous;
  const timers = new Map(previous);
  if (incoming.timerId !== undefined) timers.delete(incoming.timerId);
  for (const timerId of timersCancelled) timers.delete(timerId);
  for (const { timerId, due, event, order } of nameTimers(timers, timersSet)) {
    const token = `${subject.id}:${seq}:${timerId}`;
    timers.delete(timerId);
    timers.set(timerId, Object.freeze({ timerId, due, token, event, order }));
  }
  return timers;
}

function computeEffects(change: StepChange): ReadonlyMap<string, EffectRow> {
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
    // Without a limit the first attempt starts with this commit, which saves a second write.
    const isChild = Object.hasOwn(subject.definition.children, effect.src);
    const isLimited = subject.definition.effects[effect.src]?.limit !== undefined;
    const token = `${subject.id}:${seq}:${effect.childId}`;
    const attempt = isChild || isLimited ? 0 : 1;
    const row: EffectRow = { ...effect, token, attempt, waiting: isChild };
    // An effect restarted without a stop comes last, as its row does.
    effects.delete(effect.childId);
    effects.set(effect.childId, Object.freeze(trace === undefined ? row : { ...row, trace }));
  }
  return effects;
}
