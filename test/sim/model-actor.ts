import type { AnyStateMachine } from 'xstate';
import type {
  ActorStatus,
  EffectRow,
  JournalEntry,
  TimerRow,
} from '../../src/runtime/engine/types.ts';
import { migratedTimer } from './kinds/kinds.ts';
import type { ModelEffect, ModelSend, ModelState } from './model-state.ts';
import { isSame, modelAtRest, modelHash, modelPersisted, modelStep, plain } from './model-state.ts';
import type { Faults } from './trace.ts';

/** An actor after one of its rows. */
export interface ModelRow extends ModelState {
  readonly entry: JournalEntry;
  readonly stuck: boolean;
}

/** The rows of an actor as batches left them on the disk. */
export interface Shelf {
  readonly timers: Map<string, TimerRow>;
  readonly effects: Map<string, EffectRow>;
}

/** What a model needs of the world around it. */
export interface ModelAround {
  readonly faults: Faults;
  machineOf(kind: string, version: number): AnyStateMachine;
  /** The row that a copy starts from. */
  rowOf(id: string, seq: number): ModelRow | undefined;
}

/** One life of an actor, computed from its journal rows by XState alone. */
export class ModelActor {
  readonly id: string;
  readonly kind: string;
  readonly rows: ModelRow[] = [];
  readonly shelf: Shelf = { timers: new Map(), effects: new Map() };
  /** When the answer to a key is forgotten, and the answer. */
  readonly keys = new Map<string, { readonly ack: unknown; readonly expires: number }>();
  /** Tokens that an event has taken away. */
  readonly taken = new Set<string>();
  readonly #around: ModelAround;

  constructor(id: string, kind: string, around: ModelAround) {
    this.id = id;
    this.kind = kind;
    this.#around = around;
  }

  get last(): ModelRow | undefined {
    return this.rows.at(-1);
  }

  get status(): ActorStatus {
    const { last } = this;
    if (last === undefined) return 'active';
    return last.stuck ? 'stuck' : last.snapshot.status;
  }

  get version(): number {
    return this.last?.entry.version ?? 0;
  }

  /** True when the actor has ended and nothing may change it. */
  get isClosed(): boolean {
    return this.last !== undefined && this.last.snapshot.status !== 'active';
  }

  /**
   * Takes a row that has reached the disk.
   *
   * @returns What the row sends.
   */
  take(entry: JournalEntry): readonly ModelSend[] {
    const { faults } = this.#around;
    const facts = () => ({ entry, after: this.last?.entry });
    faults.check(entry.seq === this.rows.length + 1, 'rows of an actor are dense', facts);
    faults.check(entry.at >= (this.last?.entry.at ?? 0), 'rows are in the order of time', facts);
    const { row, sends } = this.#rowOf(entry);
    this.rows.push(row);
    const status = row.stuck ? 'stuck' : row.snapshot.status;
    const facts2 = () => ({ entry, model: { value: row.snapshot.value, status } });
    faults.check(isSame(entry.value, row.snapshot.value), 'a row has the state of XState', facts2);
    faults.check(entry.status === status, 'a row has the status of XState', facts2);
    faults.check(entry.hash === modelHash(row.snapshot), 'a row has the hash of its state', facts2);
    return sends;
  }

  /** Compares the rows on the disk with those that the journal implies. */
  compareShelf(): void {
    const { faults } = this.#around;
    const { last, shelf } = this;
    if (last === undefined) return;
    const timers = [...last.timers.values()].map(timerText).sort();
    const stored = [...shelf.timers.values()].map(timerText).sort();
    faults.check(isSame(timers, stored), 'timer rows are those that the journal implies', () => ({
      id: this.id,
      seq: last.entry.seq,
      timers,
      stored,
    }));
    const effects = [...last.effects].map(([childId, row]) => effectText(childId, row)).sort();
    const kept = [...shelf.effects].map(([childId, row]) => effectText(childId, row)).sort();
    faults.check(isSame(effects, kept), 'effect rows are those that the journal implies', () => ({
      id: this.id,
      seq: last.entry.seq,
      effects,
      kept,
    }));
  }

  /** What a snapshot of the present has to say. */
  persisted() {
    const { last } = this;
    if (last === undefined) throw new Error('an actor without rows has no state');
    return modelPersisted(this.#machine(last.entry.version), last.snapshot);
  }

  #rowOf(entry: JournalEntry): { readonly row: ModelRow; readonly sends: readonly ModelSend[] } {
    const before = this.last;
    if (entry.entry !== 'event') {
      if (before === undefined) return this.#lost(entry, 'the first row is an event');
      return { row: this.#standing(before, entry), sends: [] };
    }
    const { cause } = entry;
    if (cause.by === 'engine' && cause.why === 'migrate') return this.#migrated(entry);
    if (cause.by === 'engine' && cause.why === 'fork') return this.#forked(entry);
    return this.#stepped(before, entry);
  }

  #stepped(before: ModelRow | undefined, entry: JournalEntry) {
    const { faults } = this.#around;
    const { id, at, seq, cause, event } = entry;
    const isOpen = before === undefined || before.snapshot.status === 'active';
    faults.check(isOpen, 'a closed actor takes no event', () => entry);
    const mends = cause.by === 'retry' || cause.by === 'engine';
    faults.check(before?.stuck !== true || mends, 'a stuck actor takes no event', () => entry);
    faults.check(
      before === undefined || before.entry.version === entry.version,
      'the version of an actor changes by a migration',
      () => entry,
    );
    const timerId = this.#takenTimer(entry);
    const childId = this.#takenEffect(entry);
    try {
      const machine = this.#machine(entry.version);
      const step = modelStep(machine, before, event, { id, at, seq, timerId, childId });
      faults.check(
        isSame(step.emits, entry.emits),
        'a row has what the machine emits',
        () => entry,
      );
      return { row: { ...step, entry, stuck: false }, sends: step.sends };
    } catch (error) {
      return this.#lost(entry, `XState does not take the event: ${String(error)}`);
    }
  }

  #takenTimer({ cause, event, at }: JournalEntry): string | undefined {
    if (cause.by !== 'timer') return undefined;
    const { faults } = this.#around;
    const row = [...(this.last?.timers.values() ?? [])].find(({ token }) => token === cause.token);
    faults.check(row !== undefined, 'a timer fires while its row is current', () => ({
      cause,
      event,
    }));
    faults.check(row === undefined || row.due <= at, 'a timer fires when it is due', () => ({
      row,
      at,
    }));
    faults.check(
      row === undefined || isSame(row.event, event),
      'a timer fires its own event',
      () => ({ row, event }),
    );
    this.taken.add(cause.token);
    return row?.timerId;
  }

  #takenEffect({ cause }: JournalEntry): string | undefined {
    if (cause.by !== 'effect') return undefined;
    const found = [...(this.last?.effects ?? [])].find(([, { token }]) => token === cause.token);
    this.#around.faults.check(
      found !== undefined,
      'a result is taken while its row is current',
      () => cause,
    );
    this.taken.add(cause.token);
    return found?.[0];
  }

  #standing(before: ModelRow, entry: JournalEntry): ModelRow {
    const { faults } = this.#around;
    const { cause } = entry;
    if (entry.entry === 'stale') {
      this.#checkStale(before, entry);
      return { ...before, entry };
    }
    faults.check(
      this.#breaks(before, entry),
      'a poison row is of an event that breaks',
      () => entry,
    );
    const stuck = entry.status === 'stuck';
    const inside = cause.by === 'timer' || cause.by === 'effect' || cause.by === 'actor';
    faults.check(!stuck || inside, 'only events from within make an actor stuck', () => entry);
    faults.check(
      stuck || !inside || cause.by === 'effect',
      'what poisons from within is kept until the repair',
      () => entry,
    );
    if (!stuck) return { ...before, entry };
    const timers = new Map([...before.timers].filter(([, row]) => !hasToken(cause, row.token)));
    const effects = new Map([...before.effects].filter(([, row]) => !hasToken(cause, row.token)));
    return { ...before, entry, timers, effects, stuck };
  }

  #checkStale(before: ModelRow, { cause }: JournalEntry): void {
    const { faults } = this.#around;
    const rows = [...before.timers.values(), ...before.effects.values()];
    const isCurrent = rows.some(({ token }) => hasToken(cause, token));
    faults.check(!isCurrent, 'a stale row is of a row that is gone', () => cause);
    const isTwice = cause.by === 'timer' && this.taken.has(cause.token);
    faults.check(!isTwice, 'a timer fires once', () => cause);
  }

  #breaks(before: ModelRow, { id, at, seq, event, version }: JournalEntry): boolean {
    try {
      modelStep(this.#machine(version), before, event, { id, at, seq });
      return false;
    } catch {
      return true;
    }
  }

  #migrated(entry: JournalEntry) {
    const before = this.last;
    if (before === undefined) return this.#lost(entry, 'a migration has something to migrate');
    const old = modelPersisted(this.#machine(before.entry.version), before.snapshot);
    const { effects } = before;
    const persisted = { ...old, context: { ...old.context, since: 2 } };
    const snapshot = modelAtRest(this.#machine(entry.version), persisted, effects);
    const timers = new Map(
      [...before.timers].filter(([, row]) => migratedTimer(row) !== undefined),
    );
    return { row: { entry, snapshot, timers, effects, stuck: before.stuck }, sends: [] };
  }

  #forked(entry: JournalEntry) {
    const { from, atSeq } = entry.event;
    const then = this.#around.rowOf(String(from), Number(atSeq));
    if (then === undefined) return this.#lost(entry, 'a copy is made of a row that exists');
    const machine = this.#machine(then.entry.version);
    const persisted = modelPersisted(machine, then.snapshot);
    const snapshot = modelAtRest(machine, plain(persisted), new Map<string, ModelEffect>());
    const timers = new Map(
      [...then.timers].map(([timerId, row]) => [
        timerId,
        { ...row, token: `${this.id}:1:${timerId}` },
      ]),
    );
    return { row: { entry, snapshot, timers, effects: new Map(), stuck: false }, sends: [] };
  }

  #machine(version: number): AnyStateMachine {
    return this.#around.machineOf(this.kind, version);
  }

  #lost(entry: JournalEntry, claim: string): never {
    this.#around.faults.add(claim, entry);
    throw new Error(claim);
  }
}

function hasToken(cause: JournalEntry['cause'], token: string): boolean {
  return (cause.by === 'timer' || cause.by === 'effect') && cause.token === token;
}

function timerText({ timerId, due, token, event }: TimerRow): string {
  return `${timerId} ${due} ${token} ${JSON.stringify(event)}`;
}

function effectText(childId: string, { src, input, token }: ModelEffect): string {
  return `${childId} ${src} ${token} ${JSON.stringify(input)}`;
}
