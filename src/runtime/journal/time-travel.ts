import type { Cells } from '../engine/cells.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Intake } from '../engine/intake.ts';
import type { Incoming, Moment, Stamp, Subject } from '../engine/moment.ts';
import { advance, journalEntry, rowsBetween, viewOf } from '../engine/moment.ts';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';
import type { EngineStore, StoredActor } from '../engine/ports.ts';
import { persist, restore } from '../engine/snapshot.ts';
import type { Ack, Cause, Definition, JournalEntry, TimerRow, View } from '../engine/types.ts';
import type { Explained, ForkOptions } from '../view/look-types.ts';
import { possibleFrom, takenIn } from '../view/transition-names.ts';
import { incomingOf, momentWithoutMachine, replay, replayAtRest } from './replay.ts';

/** Returns past states of actors. */
export class TimeTravel {
  readonly #core: Core;
  readonly #cells: Cells;
  readonly #intake: Intake;

  constructor(core: Core, cells: Cells, intake: Intake) {
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
    const { subject, moment } = this.#at(id, seq);
    return viewOf(subject, moment);
  }

  /** Implements `ActorEngine.explain`. */
  explain(id: string, seq?: number): Explained {
    const { committed } = this.#cells.get(id);
    const at = seq ?? committed?.seq ?? 0;
    const [prior, entry] = this.#rowsTo(id, at);
    const way = this.#wayTo(id, entry);
    const { subject, moment } = way ?? this.#at(id, at);
    return {
      // Attempts and waits of effects are in no row; only the committed state has them.
      view: viewOf(subject, seq === undefined ? (committed ?? moment) : moment),
      entry,
      valueBefore: prior?.value,
      taken: way?.taken ?? [],
      possible: possibleFrom(moment.snapshot),
    };
  }

  /** Implements `ActorEngine.fork`. Timers are copied with their due times, effects are not. */
  async fork(
    id: string,
    seq: number,
    { who, withoutTimers = false }: ForkOptions = {},
  ): Promise<{ readonly id: string } & Ack> {
    if (who !== undefined && !isName(who)) throw new EngineError('EVENT_INVALID', NO_NAME);
    const { subject: source, moment: then } = this.#at(id, seq);
    const { definition, version } = source;
    if (version !== definition.version || then.snapshot.status !== 'active') {
      const message = `Version ${definition.version} cannot continue ${id} from row ${seq}.`;
      throw new EngineError('REPLAY_VERSION_GONE', message, { data: { id, seq, version } });
    }
    const { clock, committer } = this.#core;
    const stamp: Stamp = { at: clock.now(), globalSeq: committer.globalSeq + 1 };
    const subject: Subject = {
      id: `${id}/fork-${stamp.globalSeq}`,
      definition,
      version,
      createdAt: stamp.at,
    };
    if (!isName(subject.id)) {
      throw new EngineError('EVENT_INVALID', `The id ${id} is too long to fork.`);
    }
    const kept = withoutTimers ? { ...then, timers: new Map() } : then;
    const moment = forked(definition, subject.id, kept, stamp);
    const cause: Cause = { by: 'engine', why: 'fork', ...(who === undefined ? {} : { who }) };
    const incoming: Incoming = {
      event: { type: 'engine.fork', from: id, atSeq: seq },
      cause,
    };
    const entry = journalEntry(subject, moment, incoming, { stamp, entry: 'event' });
    const rows = rowsBetween(subject.id, undefined, moment);
    const ack = await this.#intake.plant(subject, moment, { entry, rows, sends: [] });
    return { id: subject.id, ...ack };
  }

  /** Returns the row before `seq` and the row `seq`, if they are kept. */
  #rowsTo(id: string, seq: number): readonly (JournalEntry | undefined)[] {
    const rows = this.#core.store.journal(id, Math.max(1, seq - 1), 2);
    return [rows.find((row) => row.seq === seq - 1), rows.find((row) => row.seq === seq)];
  }

  /** Replays the last step; `undefined` if there is none or its starting state is gone. */
  #wayTo(
    id: string,
    entry: JournalEntry | undefined,
  ): { subject: Subject; moment: Moment; taken: readonly string[] } | undefined {
    if (entry === undefined || entry.seq < 2 || entry.entry !== 'event') return undefined;
    if (entry.event.type.startsWith('engine.')) return undefined;
    try {
      const { subject, moment: before } = this.#at(id, entry.seq - 1);
      const { at, globalSeq } = entry;
      const context = { stamp: { at, globalSeq }, hash: this.#core.hash };
      const { result, taken } = takenIn(subject.definition.machine, () =>
        advance(subject, before, incomingOf(before, entry), context),
      );
      return result.entry.hash === entry.hash
        ? { subject, moment: result.moment, taken }
        : undefined;
    } catch {
      // A row that cannot be replayed is reported when the row itself is requested.
      return undefined;
    }
  }

  #at(id: string, seq: number): { readonly subject: Subject; readonly moment: Moment } {
    const known = this.#cells.get(id);
    const last = known.committed?.seq ?? 0;
    const isRow = seq >= 1 && seq <= last;
    const stored = isRow ? this.#core.store.loadAt(id, seq) : undefined;
    if (stored === undefined && isRow) throw trimmed(id, seq, this.#core.store);
    if (stored === undefined) {
      throw new EngineError('ACTOR_UNKNOWN', `${id} has no row ${seq}; its last row is ${last}.`, {
        data: { id, seq, last },
      });
    }
    const { definition } = known.subject;
    const { version, createdAt } = stored.snapshot;
    const subject: Subject = { id, definition, version, createdAt };
    if (version === definition.version) {
      return { subject, moment: replay(subject, stored, this.#core.hash) };
    }
    return { subject, moment: this.#ofOldVersion(subject, stored, seq) };
  }

  #ofOldVersion(subject: Subject, stored: StoredActor, seq: number): Moment {
    try {
      // Unless rows of older programs are among them, no machine is needed.
      return momentWithoutMachine(replayAtRest(subject, stored, this.#core.hash), this.#core.hash);
    } catch (cause) {
      if (cause instanceof EngineError && cause.code === 'DATA_DAMAGED') throw cause;
      const { id, version } = subject;
      const message = `${id} at row ${seq} needs version ${version}, which is no longer available.`;
      const data = { id, seq, version };
      throw new EngineError('REPLAY_VERSION_GONE', message, { data, cause });
    }
  }
}

const NO_NAME = `who must have 1 to ${NAME_CHARS_MAX} printable characters.`;

function trimmed(id: string, seq: number, store: EngineStore): EngineError {
  const first = store.journal(id, 1, 1)[0]?.seq;
  const message = `Row ${seq} of ${id} was trimmed; the oldest row kept is ${first}.`;
  return new EngineError('JOURNAL_TRIMMED', message, { data: { id, seq, first } });
}

function forked(definition: Definition, id: string, then: Moment, stamp: Stamp): Moment {
  const timers = [...then.timers.values()].map((timer): [string, TimerRow] => [
    timer.timerId,
    { ...timer, token: `${id}:1:${timer.timerId}` },
  ]);
  return {
    ...then,
    snapshot: restore(definition, persist(then.snapshot), []),
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
