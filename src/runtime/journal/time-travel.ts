import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  getNextTransitions,
} from 'xstate';
import type { Send } from '../child/resolve-sends.ts';
import type { ActorCache } from '../engine/actor-cache.ts';
import type { ActorState, Incoming, JournalPosition, Subject } from '../engine/actor-state.ts';
import { advance, diffStates, toJournalEntry, toView } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Intake } from '../engine/intake.ts';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';
import type { EngineStore, StoredActor } from '../engine/ports.ts';
import { inertScope } from '../engine/scope.ts';
import { persist, restore } from '../engine/snapshot.ts';
import type {
  Ack,
  Cause,
  Definition,
  Explained,
  ForkOptions,
  JournalEntry,
  TimerRow,
  View,
} from '../engine/types.ts';
import { replay, replayAtRest, stateWithoutMachine, toIncoming } from './replay.ts';

/** Returns past states of actors. */
export class TimeTravel {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #intake: Intake;

  constructor(core: Core, cells: ActorCache, intake: Intake) {
    this.#core = core;
    this.#cells = cells;
    this.#intake = intake;
  }

  /**
   * Returns the view after row `seq`.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`, `REPLAY_VERSION_GONE`
   */
  viewAt(id: string, seq: number): View {
    const { subject, moment } = this.#stateAt(id, seq);
    return toView(subject, moment);
  }

  /** Implements `ActorEngine.explain`. */
  explain(id: string, seq?: number): Explained {
    const { committed } = this.#cells.get(id);
    const at = seq ?? committed?.seq ?? 0;
    const [previous, entry] = this.#lastRows(id, at);
    const lastStep = this.#replayLastStep(id, entry);
    const { subject, moment: state } = lastStep ?? this.#stateAt(id, at);
    return {
      // Attempts and waits of effects are in no row; only the committed state has them.
      view: toView(subject, seq === undefined ? (committed ?? state) : state),
      entry,
      valueBefore: previous?.value,
      taken: lastStep?.taken ?? [],
      possible: possibleTransitions(state.snapshot),
    };
  }

  /** Implements `ActorEngine.fork`. Timers are copied with their due times, effects are not. */
  async fork(
    id: string,
    seq: number,
    { who, withoutTimers = false }: ForkOptions = {},
  ): Promise<{ readonly id: string } & Ack> {
    if (who !== undefined && !isName(who)) throw new EngineError('EVENT_INVALID', INVALID_WHO);
    const { subject: source, moment: current } = this.#stateAt(id, seq);
    const { definition, version } = source;
    if (version !== definition.version || current.snapshot.status !== 'active') {
      const message = `Version ${definition.version} cannot continue ${id} from row ${seq}.`;
      throw new EngineError('REPLAY_VERSION_GONE', message, { data: { id, seq, version } });
    }
    const { clock, committer } = this.#core;
    const stamp: JournalPosition = { at: clock.now(), globalSeq: committer.globalSeq + 1 };
    const subject: Subject = {
      id: `${id}/fork-${stamp.globalSeq}`,
      definition,
      version,
      createdAt: stamp.at,
    };
    if (!isName(subject.id)) {
      throw new EngineError('EVENT_INVALID', `The id ${id} is too long to fork.`);
    }
    const kept = withoutTimers ? { ...current, timers: new Map() } : current;
    const moment = forkState(definition, subject.id, kept, stamp);
    const cause: Cause = { by: 'engine', why: 'fork', ...(who === undefined ? {} : { who }) };
    const incoming: Incoming = {
      event: { type: 'engine.fork', from: id, atSeq: seq },
      cause,
    };
    const entry = toJournalEntry(subject, moment, incoming, { stamp, entry: 'event' });
    const rows = diffStates(subject.id, undefined, moment);
    const ack = await this.#intake.insertActor(subject, moment, { entry, rows, sends: [] });
    return { id: subject.id, ...ack };
  }

  /** Returns the row before `seq` and the row `seq`, if they are kept. */
  #lastRows(id: string, seq: number): readonly (JournalEntry | undefined)[] {
    const rows = this.#core.store.readJournal(id, Math.max(1, seq - 1), 2);
    return [rows.find((row) => row.seq === seq - 1), rows.find((row) => row.seq === seq)];
  }

  /**
   * Computes what a row sent, with the machine as it is now. Nothing is sent.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`, `JOURNAL_TRIMMED`, `REPLAY_VERSION_GONE`
   */
  repeatStep(id: string, seq: number): readonly Send[] {
    const entry = this.#core.store.readJournal(id, seq, 1)[0];
    if (entry?.seq !== seq) throw trimmedError(id, seq, this.#core.store);
    const isFirst = entry.event.type === 'xstate.init';
    const { subject, moment } = this.#stateAt(id, isFirst ? seq : seq - 1);
    const context = { stamp: entry, hash: this.#core.hash, afterSeq: seq - 1 };
    const incoming = isFirst
      ? { event: entry.event, cause: entry.cause }
      : toIncoming(moment, entry);
    return advance(subject, isFirst ? undefined : moment, incoming, context).sends;
  }

  /** Replays the last step; `undefined` if there is none or its starting state is gone. */
  #replayLastStep(
    id: string,
    entry: JournalEntry | undefined,
  ): { subject: Subject; moment: ActorState; taken: readonly string[] } | undefined {
    if (entry === undefined || entry.seq < 2 || entry.entry !== 'event') return undefined;
    if (entry.event.type.startsWith('engine.')) return undefined;
    try {
      const { subject, moment: before } = this.#stateAt(id, entry.seq - 1);
      const { at, globalSeq } = entry;
      const context = { stamp: { at, globalSeq }, hash: this.#core.hash };
      const { result, taken } = recordTransitions(subject.definition.machine, () =>
        advance(subject, before, toIncoming(before, entry), context),
      );
      return result.entry.hash === entry.hash
        ? { subject, moment: result.state, taken }
        : undefined;
    } catch {
      // A row that cannot be replayed is reported when the row itself is requested.
      return undefined;
    }
  }

  #stateAt(id: string, seq: number): { readonly subject: Subject; readonly moment: ActorState } {
    const known = this.#cells.get(id);
    const last = known.committed?.seq ?? 0;
    const isRow = seq >= 1 && seq <= last;
    const stored = isRow ? this.#core.store.loadAt(id, seq) : undefined;
    if (stored === undefined && isRow) throw trimmedError(id, seq, this.#core.store);
    if (stored === undefined) {
      throw new EngineError('ACTOR_UNKNOWN', `${id} has no row ${seq}; its last row is ${last}.`, {
        data: { id, seq, last },
      });
    }
    const { definition } = known.subject;
    const { version, createdAt, parent } = stored.snapshot;
    const base = { id, definition, version, createdAt };
    const subject: Subject = parent === undefined ? base : { ...base, parent };
    if (version === definition.version) {
      return { subject, moment: replay(subject, stored, this.#core.hash) };
    }
    return { subject, moment: this.#oldVersionState(subject, stored, seq) };
  }

  #oldVersionState(subject: Subject, stored: StoredActor, seq: number): ActorState {
    try {
      // Unless rows of older programs are among them, no machine is needed.
      return stateWithoutMachine(replayAtRest(subject, stored, this.#core.hash), this.#core.hash);
    } catch (cause) {
      if (cause instanceof EngineError && cause.code === 'DATA_DAMAGED') throw cause;
      const { id, version } = subject;
      const message = `${id} at row ${seq} needs version ${version}, which is no longer available.`;
      const data = { id, seq, version };
      throw new EngineError('REPLAY_VERSION_GONE', message, { data, cause });
    }
  }
}

const INVALID_WHO = `who must have 1 to ${NAME_CHARS_MAX} printable characters.`;

function trimmedError(id: string, seq: number, store: EngineStore): EngineError {
  const first = store.readJournal(id, 1, 1)[0]?.seq;
  const message = `Row ${seq} of ${id} was trimmed; the oldest row kept is ${first}.`;
  return new EngineError('JOURNAL_TRIMMED', message, { data: { id, seq, first } });
}

function forkState(
  definition: Definition,
  id: string,
  source: ActorState,
  stamp: JournalPosition,
): ActorState {
  const timers = [...source.timers.values()].map((timer): [string, TimerRow] => [
    timer.timerId,
    { ...timer, token: `${id}:1:${timer.timerId}` },
  ]);
  return {
    ...source,
    snapshot: restore(definition, persist(source.snapshot), []),
    seq: 1,
    at: stamp.at,
    // The dead letter that would repair it does not belong to the copy.
    stuck: false,
    timers: new Map(timers),
    effects: new Map(),
    // A copy does not belong to the trace of the original.
    trace: undefined,
  };
}

/** Runs `work` and returns the names of all transitions that the machine took in it, in order. */
function recordTransitions<T>(
  machine: AnyStateMachine,
  work: () => T,
): { readonly result: T; readonly taken: readonly string[] } {
  const taken: string[] = [];
  const subscription = inertScope(machine).system.inspect((seen) => {
    if (seen.type === '@xstate.microstep')
      taken.push(...seen._transitions.flatMap(transitionNames));
  });
  try {
    return { result: work(), taken };
  } finally {
    subscription.unsubscribe();
  }
}

/** Returns the names of the transitions from an active snapshot, regardless of their guards. */
function possibleTransitions(snapshot: AnyMachineSnapshot): readonly string[] {
  return snapshot.status === 'active' ? getNextTransitions(snapshot).flatMap(transitionNames) : [];
}

type Transition = NonNullable<AnyStateNode['always']>[number];

/** Returns an empty list for the initial transition, which no state lists. */
function transitionNames(transition: Transition): readonly string[] {
  const { source, eventType } = transition as {
    readonly source: AnyStateNode;
    readonly eventType: string;
  };
  const candidates = eventType === '' ? source.always : source.transitions.get(eventType);
  const index = candidates?.indexOf(transition) ?? -1;
  return index < 0 ? [] : [`${source.path.join('.')}|${eventType}|${index}`];
}
