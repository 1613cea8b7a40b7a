import type { AnyMachineSnapshot } from 'xstate';
import { EngineError } from '../engine/error.ts';
import type { Moment, Subject } from '../engine/moment.ts';
import { advance, standStill, statusOf, stickAt } from '../engine/moment.ts';
import type { SnapshotRow } from '../engine/ports.ts';
import type { StateHash, TextHash } from '../engine/state-hash.ts';
import { sha256Prefix, stateHash } from '../engine/state-hash.ts';
import type { Definition, JournalEntry } from '../engine/types.ts';
import type { Difference, Rehearsal } from './rehearsal.ts';
import { incomingOf, momentAtRest } from './replay.ts';
import { migrateMoment } from './revive.ts';

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
  const stage = new Stage(definition, stateHash(o.hash ?? sha256Prefix), snapshot);
  for await (const entry of journal) {
    const difference = stage.play(entry);
    if (difference !== undefined) return difference;
  }
  return { same: true, rows: stage.rows };
}

/** Replays rows one by one and holds the actor's state. */
class Stage {
  readonly #definition: Definition;
  readonly #hash: StateHash;
  readonly #snapshot: SnapshotRow | undefined;
  #subject: Subject | undefined;
  #moment: Moment | undefined;
  rows = 0;

  constructor(definition: Definition, hash: StateHash, snapshot: SnapshotRow | undefined) {
    this.#definition = definition;
    this.#hash = hash;
    this.#snapshot = snapshot;
  }

  play(entry: JournalEntry): Difference | undefined {
    if (this.#subject === undefined && entry.seq <= (this.#snapshot?.seq ?? 0)) return undefined;
    const subject = this.#subject ?? this.#begin(entry);
    this.#check(subject, entry);
    const before = this.#moment;
    const played = this.#next(subject, before, entry);
    this.rows += 1;
    if ('same' in played) return played;
    this.#moment = played;
    return undefined;
  }

  #begin(entry: JournalEntry): Subject {
    const { id } = entry;
    const { version } = this.#definition;
    const createdAt = this.#snapshot?.createdAt ?? entry.at;
    const subject = { id, definition: this.#definition, version, createdAt };
    this.#subject = subject;
    if (this.#snapshot !== undefined) {
      this.#moment = momentAtRest(subject, this.#snapshot, this.#hash);
    }
    return subject;
  }

  #check(subject: Subject, entry: JournalEntry): void {
    const { id, seq, kind, event } = entry;
    const expected = (this.#moment?.seq ?? 0) + 1;
    const isFirst = this.#moment === undefined;
    const fault =
      (kind !== this.#definition.kind && `Row ${seq} belongs to the kind ${kind}.`) ||
      (id !== subject.id && `Row ${seq} belongs to ${id}, the first row to ${subject.id}.`) ||
      (seq !== expected && `Row ${seq} found where row ${expected} was expected.`) ||
      (isFirst && event.type !== 'xstate.init' && `Row ${seq} needs its snapshot.`);
    if (fault === false) return;
    throw new EngineError('JOURNAL_INVALID', fault, { data: { id, seq, kind, expected } });
  }

  #next(subject: Subject, before: Moment | undefined, entry: JournalEntry): Moment | Difference {
    if (before !== undefined && entry.entry !== 'event') return this.#stand(subject, before, entry);
    const token = before === undefined ? undefined : wrongToken(before, entry, true);
    if (before !== undefined && token !== undefined) return this.#differs(entry, before, token);
    const { at, globalSeq } = entry;
    try {
      if (before !== undefined && entry.event.type === 'engine.migrate') {
        const moment = migrateMoment(subject, before, entry, this.#hash);
        return this.#compare(entry, moment, undefined);
      }
      const incoming =
        before === undefined
          ? { event: entry.event, cause: entry.cause }
          : incomingOf(before, entry);
      const context = { stamp: { at, globalSeq }, hash: this.#hash };
      const played = advance(subject, before, incoming, context);
      return this.#compare(entry, played.moment, played.entry);
    } catch (cause) {
      return this.#refused(entry, before, cause);
    }
  }

  /** Replays a row that did not change the state; the reason for that must still hold. */
  #stand(subject: Subject, before: Moment, entry: JournalEntry): Moment | Difference {
    const { at, globalSeq } = entry;
    const stamp = { at, globalSeq };
    const incoming = incomingOf(before, entry);
    if (entry.entry === 'stale') {
      const token = wrongToken(before, entry, false);
      if (token !== undefined) return this.#differs(entry, before, token);
    } else if (this.#takes(subject, before, entry)) {
      return this.#differs(entry, before, 'poison');
    }
    return entry.status === 'stuck' ? stickAt(before, incoming, stamp) : standStill(before, stamp);
  }

  #takes(subject: Subject, before: Moment, entry: JournalEntry): boolean {
    const { at, globalSeq } = entry;
    const context = { stamp: { at, globalSeq }, hash: this.#hash };
    try {
      advance(subject, before, incomingOf(before, entry), context);
      return true;
    } catch {
      return false;
    }
  }

  #compare(
    entry: JournalEntry,
    moment: Moment,
    played: JournalEntry | undefined,
  ): Moment | Difference {
    const what =
      (statusOf(moment) !== entry.status && 'status') ||
      (canonical(moment.snapshot.value) !== canonical(entry.value) && 'value') ||
      (moment.hash !== entry.hash && 'context') ||
      (played !== undefined && canonical(played.emits) !== canonical(entry.emits) && 'emits');
    return what === false ? moment : this.#differs(entry, moment, what);
  }

  #refused(entry: JournalEntry, before: Moment | undefined, cause: unknown): Difference {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const code = cause instanceof EngineError ? cause.code : undefined;
    const what = whatRefused(entry, code);
    return { ...this.#differs(entry, before, what), reason };
  }

  #differs(entry: JournalEntry, moment: Moment | undefined, what: Difference['what']): Difference {
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
              status: statusOf(moment),
              hash: moment.hash,
              context: (snapshot as AnyMachineSnapshot).context as Record<string, unknown>,
            }),
      },
    };
  }
}

function whatRefused({ event }: JournalEntry, code: string | undefined): Difference['what'] {
  if (event.type === 'engine.migrate') return 'migration';
  return code === 'ACTOR_CLOSED' ? 'status' : 'poison';
}

/** Returns the kind of source row whose presence differs from what is expected, if any. */
function wrongToken(
  before: Moment,
  { cause }: JournalEntry,
  isWanted: boolean,
): 'timers' | 'effects' | undefined {
  if (cause.by === 'timer') {
    const isCurrent = [...before.timers.values()].some(({ token }) => token === cause.token);
    return isCurrent === isWanted ? undefined : 'timers';
  }
  if (cause.by === 'effect') {
    const isCurrent = [...before.effects.values()].some(({ token }) => token === cause.token);
    return isCurrent === isWanted ? undefined : 'effects';
  }
  return undefined;
}

/** Serializes a value so that equal JSON gives equal texts, regardless of member order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
