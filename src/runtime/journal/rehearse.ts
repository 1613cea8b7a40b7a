import type { AnyMachineSnapshot } from 'xstate';
import type { ActorState, Subject } from '../engine/actor-state.ts';
import { advance, advanceUnchanged, getStatus, markStuck } from '../engine/actor-state.ts';
import { EngineError } from '../engine/error.ts';
import type { SnapshotRow } from '../engine/ports.ts';
import type { Definition, JournalEntry } from '../engine/types.ts';
import type { StateHash, TextHash } from '../value/state-hash.ts';
import { createStateHash, sha256Prefix } from '../value/state-hash.ts';
import { replayMigration } from './load-actor.ts';
import type { Difference, Rehearsal } from './rehearsal.ts';
import { stateFromSnapshot, toIncoming } from './replay.ts';

/**
 * Replays a recorded journal of one actor against a definition and returns the first difference.
 * Nothing is run or written. The current machine replays rows of older versions, and runs its
 * migrations where the journal records one.
 *
 * @param journal - As returned by `ActorEngine.journal`, or by `journalLines` for a file.
 * @param snapshot - Where to start, as returned by `EngineStore.loadAt`; rows up to its `seq` are
 * skipped. Required if the journal does not start with the actor's creation.
 * @param o - `hash`: the engine's own hash, if it had one.
 * @throws {EngineError} `JOURNAL_INVALID` if the rows are not consecutive rows of one actor of the
 * definition's kind; `REPLAY_VERSION_GONE` if the machine no longer has the snapshot's state.
 * @example
 * const rehearsal = await rehearse(counter, engine.journal('counter/1'));
 * if (!rehearsal.same) console.log(rehearsal.seq, rehearsal.what);
 */
export async function rehearse(
  definition: Definition,
  journal: Iterable<JournalEntry> | AsyncIterable<JournalEntry>,
  snapshot?: SnapshotRow,
  o: { readonly hash?: TextHash } = {},
): Promise<Rehearsal> {
  const replay = new JournalReplay(definition, createStateHash(o.hash ?? sha256Prefix), snapshot);
  for await (const entry of journal) {
    const difference = replay.replayEntry(entry);
    if (difference !== undefined) return difference;
  }
  return { same: true, rows: replay.rows };
}

/** Replays rows one by one and holds the actor's state. */
class JournalReplay {
  readonly #definition: Definition;
  readonly #hash: StateHash;
  readonly #snapshot: SnapshotRow | undefined;
  #subject: Subject | undefined;
  #state: ActorState | undefined;
  rows = 0;

  constructor(definition: Definition, hash: StateHash, snapshot: SnapshotRow | undefined) {
    this.#definition = definition;
    this.#hash = hash;
    this.#snapshot = snapshot;
  }

  replayEntry(entry: JournalEntry): Difference | undefined {
    if (this.#subject === undefined && entry.seq <= (this.#snapshot?.seq ?? 0)) return undefined;
    const subject = this.#subject ?? this.#start(entry);
    this.#checkEntry(subject, entry);
    const before = this.#state;
    const replayed = this.#replayNext(subject, before, entry);
    this.rows += 1;
    if ('same' in replayed) return replayed;
    this.#state = replayed;
    return undefined;
  }

  #start(entry: JournalEntry): Subject {
    const { id } = entry;
    const { version } = this.#definition;
    const createdAt = this.#snapshot?.createdAt ?? entry.at;
    const subject = { id, definition: this.#definition, version, createdAt };
    this.#subject = subject;
    if (this.#snapshot !== undefined) {
      this.#state = stateFromSnapshot(subject, this.#snapshot, this.#hash);
    }
    return subject;
  }

  #checkEntry(subject: Subject, entry: JournalEntry): void {
    const { id, seq, kind, event } = entry;
    const expected = (this.#state?.seq ?? 0) + 1;
    const isFirst = this.#state === undefined;
    const problem =
      (kind !== this.#definition.kind && `Row ${seq} belongs to the kind ${kind}.`) ||
      (id !== subject.id && `Row ${seq} belongs to ${id}, the first row to ${subject.id}.`) ||
      (seq !== expected && `Row ${seq} found where row ${expected} was expected.`) ||
      (isFirst && event.type !== 'xstate.init' && `Row ${seq} needs its snapshot.`);
    if (problem === false) return;
    throw new EngineError('JOURNAL_INVALID', problem, { data: { id, seq, kind, expected } });
  }

  #replayNext(
    subject: Subject,
    before: ActorState | undefined,
    entry: JournalEntry,
  ): ActorState | Difference {
    if (before !== undefined && entry.entry !== 'event')
      return this.#replayUnchanged(subject, before, entry);
    const token = before === undefined ? undefined : findTokenMismatch(before, entry, true);
    if (before !== undefined && token !== undefined)
      return this.#createDifference(entry, before, token);
    const { at, globalSeq } = entry;
    try {
      if (before !== undefined && entry.event.type === 'engine.migrate') {
        const moment = replayMigration(subject, before, entry, this.#hash);
        return this.#compare(entry, moment, undefined);
      }
      const incoming =
        before === undefined
          ? { event: entry.event, cause: entry.cause }
          : toIncoming(before, entry);
      const context = { stamp: { at, globalSeq }, hash: this.#hash };
      const played = advance(subject, before, incoming, context);
      return this.#compare(entry, played.state, played.entry);
    } catch (cause) {
      return this.#describeFailure(entry, before, cause);
    }
  }

  /** Replays a row that did not change the state; the reason for that must still hold. */
  #replayUnchanged(
    subject: Subject,
    before: ActorState,
    entry: JournalEntry,
  ): ActorState | Difference {
    const { at, globalSeq } = entry;
    const stamp = { at, globalSeq };
    const incoming = toIncoming(before, entry);
    if (entry.entry === 'stale') {
      const token = findTokenMismatch(before, entry, false);
      if (token !== undefined) return this.#createDifference(entry, before, token);
    } else if (this.#canProcess(subject, before, entry)) {
      return this.#createDifference(entry, before, 'poison');
    }
    return entry.status === 'stuck'
      ? markStuck(before, incoming, stamp)
      : advanceUnchanged(before, stamp);
  }

  #canProcess(subject: Subject, before: ActorState, entry: JournalEntry): boolean {
    const { at, globalSeq } = entry;
    const context = { stamp: { at, globalSeq }, hash: this.#hash };
    try {
      advance(subject, before, toIncoming(before, entry), context);
      return true;
    } catch {
      return false;
    }
  }

  #compare(
    entry: JournalEntry,
    state: ActorState,
    played: JournalEntry | undefined,
  ): ActorState | Difference {
    const what =
      (getStatus(state) !== entry.status && 'status') ||
      (toCanonicalJson(state.snapshot.value) !== toCanonicalJson(entry.value) && 'value') ||
      (state.hash !== entry.hash && 'context') ||
      (played !== undefined &&
        toCanonicalJson(played.emits) !== toCanonicalJson(entry.emits) &&
        'emits');
    return what === false ? state : this.#createDifference(entry, state, what);
  }

  #describeFailure(
    entry: JournalEntry,
    before: ActorState | undefined,
    cause: unknown,
  ): Difference {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const code = cause instanceof EngineError ? cause.code : undefined;
    const what = differenceKind(entry, code);
    return { ...this.#createDifference(entry, before, what), reason };
  }

  #createDifference(
    entry: JournalEntry,
    moment: ActorState | undefined,
    what: Difference['what'],
  ): Difference {
    const { seq, at, event, value, status, version, hash } = entry;
    const { snapshot } = moment ?? {};
    return {
      same: false,
      seq,
      at,
      event,
      what,
      recorded: { entry: entry.entry, value, status, version, hash },
      replayed: {
        version: this.#definition.version,
        ...(moment === undefined || snapshot === undefined
          ? {}
          : {
              value: snapshot.value,
              status: getStatus(moment),
              hash: moment.hash,
              context: (snapshot as AnyMachineSnapshot).context as Record<string, unknown>,
            }),
      },
    };
  }
}

function differenceKind({ event }: JournalEntry, code: string | undefined): Difference['what'] {
  if (event.type === 'engine.migrate') return 'migration';
  return code === 'ACTOR_CLOSED' ? 'status' : 'poison';
}

/** Returns the kind of source row whose presence differs from what is expected, if any. */
function findTokenMismatch(
  before: ActorState,
  { cause }: JournalEntry,
  isExpected: boolean,
): 'timers' | 'effects' | undefined {
  if (cause.by === 'timer') {
    const isCurrent = [...before.timers.values()].some(({ token }) => token === cause.token);
    return isCurrent === isExpected ? undefined : 'timers';
  }
  if (cause.by === 'effect') {
    const isCurrent = [...before.effects.values()].some(({ token }) => token === cause.token);
    return isCurrent === isExpected ? undefined : 'effects';
  }
  return undefined;
}

/** Serializes a value so that equal JSON gives equal texts, regardless of member order. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
