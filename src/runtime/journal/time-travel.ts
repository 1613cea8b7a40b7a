import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  getNextTransitions,
} from 'xstate';
import type { Send } from '../child/resolve-sends.ts';
import type { ActorCache } from '../engine/actor-cache.ts';
import type { ActorState, Subject } from '../engine/actor-state.ts';
import { advance, toView } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Intake } from '../engine/intake.ts';
import type { EngineStore, StoredActor } from '../engine/ports.ts';
import { inertScope } from '../engine/scope.ts';
import type { Explained, JournalEntry, View } from '../engine/types.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { isPromise, perform, read } from '../load/awaitable.ts';
import { copyPlain } from '../value/plain.ts';
import { Forks } from './forks.ts';
import { replay, replayAtRest, stateWithoutMachine, toIncoming } from './replay.ts';

/** Returns past states of actors. */
export class TimeTravel {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #forks: Forks;

  constructor(core: Core, cells: ActorCache, intake: Intake) {
    this.#core = core;
    this.#cells = cells;
    const parts = { intake, loader: cells.loader };
    this.#forks = new Forks(core, parts, (id, seq) => this.#stateAt(id, seq));
  }

  /**
   * Returns the view after row `seq`.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`, `REPLAY_VERSION_GONE`
   */
  viewAt(id: string, seq: number): Awaitable<View> {
    return perform(this.#viewAt(id, seq));
  }

  *#viewAt(id: string, seq: number): Reading<View> {
    const { subject, moment } = yield* this.#stateAt(id, seq);
    return copyPlain(toView(subject, moment));
  }

  /** Implements `ActorEngine.explain`. */
  explain(id: string, seq?: number): Awaitable<Explained> {
    return perform(this.#explain(id, seq));
  }

  *#explain(id: string, seq?: number): Reading<Explained> {
    const { committed } = yield* this.#getActor(id);
    const at = seq ?? committed?.seq ?? 0;
    const [previous, entry] = yield* this.#lastRows(id, at);
    const lastStep = yield* this.#replayLastStep(id, entry);
    const { subject, moment: state } = lastStep ?? (yield* this.#stateAt(id, at));
    return {
      // Attempts and waits of effects are in no row; only the committed state has them.
      view: toView(subject, seq === undefined ? (committed ?? state) : state),
      entry,
      valueBefore: previous?.value,
      taken: lastStep?.taken ?? [],
      possible: possibleTransitions(state.snapshot),
    };
  }

  /** Implements `ActorEngine.fork`. */
  fork(...[id, seq, options]: Parameters<Forks['fork']>): ReturnType<Forks['fork']> {
    return this.#forks.fork(id, seq, options);
  }

  /** Returns the row before `seq` and the row `seq`, if they are kept. */
  *#lastRows(id: string, seq: number): Reading<readonly (JournalEntry | undefined)[]> {
    const rows = yield* read(this.#core.store.readJournal(id, Math.max(1, seq - 1), 2));
    return [rows.find((row) => row.seq === seq - 1), rows.find((row) => row.seq === seq)];
  }

  /**
   * Computes what a row sent, with the machine as it is now. Nothing is sent.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`, `JOURNAL_TRIMMED`, `REPLAY_VERSION_GONE`
   */
  repeatStep(id: string, seq: number): Awaitable<readonly Send[]> {
    return perform(this.#repeatStep(id, seq));
  }

  *#repeatStep(id: string, seq: number): Reading<readonly Send[]> {
    const [entry] = yield* read(this.#core.store.readJournal(id, seq, 1));
    if (entry?.seq !== seq) throw yield* trimmedError(id, seq, this.#core.store);
    const isFirst = entry.event.type === 'xstate.init';
    const { subject, moment } = yield* this.#stateAt(id, isFirst ? seq : seq - 1);
    const context = { stamp: entry, hash: this.#core.hash, afterSeq: seq - 1 };
    const incoming = isFirst
      ? { event: entry.event, cause: entry.cause }
      : toIncoming(moment, entry);
    return advance(subject, isFirst ? undefined : moment, incoming, context).sends;
  }

  /** Replays the last step; `undefined` if there is none or its starting state is gone. */
  *#replayLastStep(
    id: string,
    entry: JournalEntry | undefined,
  ): Reading<(PastState & { readonly taken: readonly string[] }) | undefined> {
    if (entry === undefined || entry.seq < 2 || entry.entry !== 'event') return undefined;
    if (entry.event.type.startsWith('engine.')) return undefined;
    try {
      const { subject, moment: before } = yield* this.#stateAt(id, entry.seq - 1);
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

  /** Returns the parts of an actor that are on disk. */
  #getActor(id: string): Reading<{ readonly subject: Subject; readonly committed?: ActorState }> {
    const found = this.#cells.prepare({ ids: [id] }, () => {
      const { subject, committed } = this.#cells.get(id);
      return committed === undefined ? { subject } : { subject, committed };
    });
    return read(found);
  }

  *#stateAt(id: string, seq: number): Reading<PastState> {
    const known = yield* this.#getActor(id);
    const last = known.committed?.seq ?? 0;
    const isRow = seq >= 1 && seq <= last;
    const stored = isRow ? yield* read(this.#core.store.loadAt(id, seq)) : undefined;
    if (stored === undefined && isRow) throw yield* trimmedError(id, seq, this.#core.store);
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

/** A state of an actor that history holds. */
interface PastState {
  readonly subject: Subject;
  readonly moment: ActorState;
}

function* trimmedError(id: string, seq: number, store: EngineStore): Reading<EngineError> {
  const [row] = yield* read(store.readJournal(id, 1, 1));
  const first = row?.seq;
  const message = `Row ${seq} of ${id} was trimmed; the oldest row kept is ${first}.`;
  return new EngineError('JOURNAL_TRIMMED', message, { data: { id, seq, first } });
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
