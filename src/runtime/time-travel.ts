import type { Cells } from './cells.ts';
import type { Core } from './core.ts';
import { EngineError } from './error.ts';
import type { Intake } from './intake.ts';
import type { Incoming, Moment, Stamp, Subject } from './moment.ts';
import { journalEntry, rowsBetween, viewOf } from './moment.ts';
import { isName } from './name.ts';
import type { EngineStore, StoredActor } from './ports.ts';
import { endedSnapshot, replay } from './replay.ts';
import { persist, restore } from './snapshot.ts';
import type { Ack, Definition, TimerRow, View } from './types.ts';

/** Actors as they were. */
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
   * The view after row `seq`.
   *
   * @throws {EngineError} `ACTOR_UNKNOWN`, `REPLAY_VERSION_GONE`
   */
  viewAt(id: string, seq: number): View {
    const { subject, moment } = this.#at(id, seq);
    return viewOf(subject, moment);
  }

  /** See `ActorEngine.fork`. Timers come along with their due times, effects do not. */
  async fork(id: string, seq: number): Promise<{ readonly id: string } & Ack> {
    const { subject: source, moment: then } = this.#at(id, seq);
    const { definition, version } = source;
    if (version !== definition.version || then.snapshot.status !== 'active') {
      const message = `${id} at row ${seq} cannot be continued by version ${definition.version}`;
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
      throw new EngineError('EVENT_INVALID', `${id} is too long for the id of a copy`);
    }
    const moment = forked(definition, subject.id, then, stamp);
    const incoming: Incoming = {
      event: { type: 'engine.fork', from: id, atSeq: seq },
      cause: { by: 'engine', why: 'fork' },
    };
    const entry = journalEntry(subject, moment, incoming, { stamp, entry: 'event' });
    const rows = rowsBetween(subject.id, undefined, moment);
    const ack = await this.#intake.plant(subject, moment, { entry, rows, sends: [] });
    return { id: subject.id, ...ack };
  }

  #at(id: string, seq: number): { readonly subject: Subject; readonly moment: Moment } {
    const known = this.#cells.get(id);
    const last = known.committed?.seq ?? 0;
    const isRow = seq >= 1 && seq <= last;
    const stored = isRow ? this.#core.store.loadAt(id, seq) : undefined;
    if (stored === undefined && isRow) throw trimmed(id, seq, this.#core.store);
    if (stored === undefined) {
      throw new EngineError('ACTOR_UNKNOWN', `${id} has no row ${seq}; it stands at ${last}`, {
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
    const { snapshot: row, tail } = stored;
    if (tail.some(({ entry }) => entry === 'event')) {
      const { id, version } = subject;
      const message = `${id} at row ${seq} is of version ${version}, which is not here any more`;
      throw new EngineError('REPLAY_VERSION_GONE', message, { data: { id, seq, version } });
    }
    return {
      snapshot: endedSnapshot(row.snapshot),
      seq: tail.at(-1)?.seq ?? row.seq,
      at: tail.at(-1)?.at ?? row.at,
      stuck: row.stuck,
      hash: this.#core.hash(row.snapshot),
      timers: new Map(row.timers.map((timer) => [timer.timerId, timer])),
      effects: new Map(row.effects.map((effect) => [effect.childId, effect])),
    };
  }
}

function trimmed(id: string, seq: number, store: EngineStore): EngineError {
  const first = store.journal(id, 1, 1)[0]?.seq;
  const message = `row ${seq} of ${id} is not kept any more; its journal begins at row ${first}`;
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
    // The dead letter that would repair it is not the copy's.
    stuck: false,
    timers: new Map(timers),
    effects: new Map(),
  };
}
