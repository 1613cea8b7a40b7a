import { childAddress } from '../child/actor-ref.ts';
import { childResult } from '../child/child-result.ts';
import type { Send } from '../child/resolve-sends.ts';
import type { ActorState, Incoming, JournalPosition, Subject } from '../engine/actor-state.ts';
import { diffStates, toJournalEntry } from '../engine/actor-state.ts';
import type { Core } from '../engine/core.ts';
import { EngineError } from '../engine/error.ts';
import type { Intake } from '../engine/intake.ts';
import { isName, NAME_CHARS_MAX } from '../engine/name.ts';
import type { ParentLink } from '../engine/ports.ts';
import { persist, restore } from '../engine/snapshot.ts';
import type { Ack, Cause, EffectRow, ForkOptions, TimerRow } from '../engine/types.ts';
import type { Reading } from '../load/awaitable.ts';
import { isPromise, read } from '../load/awaitable.ts';
import type { Loader } from '../load/loader.ts';
import { rootOf } from '../system/system-table.ts';

/** An actor as of one row of its journal. */
export interface PastActor {
  readonly subject: Subject;
  readonly moment: ActorState;
}

/** Copies actors with their child machines. */
export class Forks {
  readonly #core: Core;
  readonly #intake: Intake;
  readonly #loader: Loader;
  #lastNumber = 0;
  readonly #stateAt: (id: string, seq: number) => Reading<PastActor>;

  constructor(
    core: Core,
    parts: { readonly intake: Intake; readonly loader: Loader },
    stateAt: (id: string, seq: number) => Reading<PastActor>,
  ) {
    this.#core = core;
    this.#intake = parts.intake;
    this.#loader = parts.loader;
    this.#stateAt = stateAt;
  }

  /**
   * Implements `ActorEngine.fork`. Timers are copied with their due times, effects are not. Child
   * machines are copied as of the last row that they had when the parent's row was written.
   */
  async fork(
    id: string,
    seq: number,
    options: ForkOptions = {},
  ): Promise<{ readonly id: string } & Ack> {
    const { who } = options;
    if (who !== undefined && !isName(who)) throw new EngineError('EVENT_INVALID', INVALID_WHO);
    const found = this.#loader.track(this.#copy(id, seq, { ...options }));
    const { copyId, acks } = isPromise(found) ? await found : found;
    const all = await Promise.all(acks);
    return { id: copyId, ...(all.at(-1) as Ack) };
  }

  /** Reads every actor before the first copy is written. */
  *#copy(id: string, seq: number, options: ForkOptions): Reading<Copied> {
    // Other forks may begin while rows are being read.
    this.#lastNumber = Math.max(this.#lastNumber, this.#core.committer.globalSeq) + 1;
    const copyId = `${id}/fork-${this.#lastNumber}`;
    const copies = yield* this.#plan({ id, seq, copyId, parent: undefined });
    return { copyId, acks: copies.map((copy) => this.#insert(copy, options)) };
  }

  /** Returns what to copy, children before their parents. */
  *#plan({ id, seq, copyId, parent }: Source): Reading<readonly Copy[]> {
    const { subject: source, moment } = yield* this.#stateAt(id, seq);
    const { definition, version } = source;
    const hasEnded = moment.snapshot.status !== 'active';
    if (version !== definition.version || (hasEnded && parent === undefined)) {
      const message = `Version ${definition.version} cannot continue ${id} from row ${seq}.`;
      throw new EngineError('REPLAY_VERSION_GONE', message, { data: { id, seq, version } });
    }
    if (!isName(copyId)) {
      throw new EngineError('EVENT_INVALID', `The id ${id} is too long to fork.`);
    }
    const createdAt = this.#core.clock.now();
    const base = { id: copyId, definition, version, createdAt };
    const subject: Subject = parent === undefined ? base : { ...base, parent };
    const children = yield* this.#planChildren({ id, seq }, subject, moment);
    const own: Copy = { from: id, seq, subject, moment, ...children };
    return [...children.copies, own];
  }

  *#planChildren(
    from: Pick<Source, 'id' | 'seq'>,
    subject: Subject,
    moment: ActorState,
  ): Reading<Children> {
    const sends: Send[] = [];
    const copies: Copy[] = [];
    const rows: EffectRow[] = [];
    for (const row of moment.effects.values()) {
      const child = subject.definition.children[row.src];
      if (child === undefined) continue;
      const token = `${subject.id}:1:${row.childId}`;
      const parent = linkTo(subject, { ...row, token });
      const source = childAddress(from.id, row.childId);
      const to = childAddress(subject.id, row.childId);
      rows.push(Object.freeze({ ...row, token, attempt: 0, waiting: true }));
      const seq = yield* this.#rowOfChild(source, row.token, yield* this.#positionOf(from));
      if (seq === undefined) {
        // The message that creates the child was still on its way.
        sends.push({ to, create: { kind: child.kind, input: row.input, parent } });
        continue;
      }
      const planned = yield* this.#plan({ id: source, seq, copyId: to, parent });
      const copy = planned.at(-1) as Copy;
      copies.push(...planned);
      // The result of an ended child was still on its way.
      const result = childResult(copy.subject, copy.moment);
      if (result !== undefined) sends.push(result);
    }
    return { rows, sends, copies };
  }

  /** Returns the global position of a row. */
  *#positionOf({ id, seq }: Pick<Source, 'id' | 'seq'>): Reading<number> {
    const [row] = yield* read(this.#core.store.readJournal(id, seq, 1));
    return row?.globalSeq ?? 0;
  }

  /** Returns the last row up to a global position of the child with a token. */
  *#rowOfChild(id: string, token: string, globalSeq: number): Reading<number | undefined> {
    const { store } = this.#core;
    const stored = yield* read(store.load(id));
    let [low, high] = [0, stored?.tail.at(-1)?.seq ?? stored?.snapshot.seq ?? 0];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const [row] = yield* read(store.readJournal(id, middle, 1));
      if (row !== undefined && row.seq === middle && row.globalSeq <= globalSeq) low = middle;
      else high = middle - 1;
    }
    if (low === 0) return undefined;
    const past = yield* read(store.loadAt(id, low));
    return past?.snapshot.parent?.token === token ? low : undefined;
  }

  #insert({ from, seq, subject, moment: source, rows: childRows, sends }: Copy, o: ForkOptions) {
    const { clock, committer } = this.#core;
    const stamp: JournalPosition = { at: clock.now(), globalSeq: committer.globalSeq + 1 };
    const kept = o.withoutTimers === true ? { ...source, timers: new Map() } : source;
    const moment = copyState(subject, kept, stamp, childRows);
    const { who } = o;
    const cause: Cause = { by: 'engine', why: 'fork', ...(who === undefined ? {} : { who }) };
    const incoming: Incoming = { event: { type: 'engine.fork', from, atSeq: seq }, cause };
    const entry = toJournalEntry(subject, moment, incoming, { stamp, entry: 'event' });
    const rows = diffStates(subject.id, undefined, moment);
    return this.#intake.insertActor(subject, moment, { entry, rows, sends });
  }
}

/** What has been written of a fork. */
interface Copied {
  readonly copyId: string;
  /** One per copy, the fork itself last. */
  readonly acks: readonly Promise<Ack>[];
}

type Children = Pick<Copy, 'rows' | 'sends'> & { readonly copies: readonly Copy[] };

interface Source {
  readonly id: string;
  readonly seq: number;
  readonly copyId: string;
  readonly parent: ParentLink | undefined;
}

interface Copy {
  readonly from: string;
  readonly seq: number;
  readonly subject: Subject;
  readonly moment: ActorState;
  /** Rows of its children. */
  readonly rows: readonly EffectRow[];
  readonly sends: readonly Send[];
}

const INVALID_WHO = `who must have 1 to ${NAME_CHARS_MAX} printable characters.`;

function linkTo(subject: Subject, { childId, token, sync }: EffectRow): ParentLink {
  const root = rootOf(subject);
  return {
    id: subject.id,
    childId,
    token,
    ...(sync === undefined ? undefined : { sync }),
    ...(root === subject.id ? undefined : { root }),
  };
}

function copyState(
  { id, definition }: Subject,
  source: ActorState,
  stamp: JournalPosition,
  children: readonly EffectRow[],
): ActorState {
  const timers = [...source.timers.values()].map((timer): [string, TimerRow] => [
    timer.timerId,
    { ...timer, token: `${id}:1:${timer.timerId}` },
  ]);
  const isActive = source.snapshot.status === 'active';
  return {
    ...source,
    snapshot: isActive ? restore(definition, persist(source.snapshot), children) : source.snapshot,
    seq: 1,
    at: stamp.at,
    // The dead letter that would repair it does not belong to the copy.
    stuck: false,
    timers: new Map(timers),
    effects: new Map(children.map((row) => [row.childId, row])),
    // A copy does not belong to the trace of the original.
    trace: undefined,
  };
}
