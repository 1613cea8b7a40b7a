import type { AnyStateMachine } from 'xstate';
import { listDescendants } from '../child/list-descendants.ts';
import { CrashCounter } from '../effect/crashes.ts';
import { toResultEvent } from '../effect/effect-outcome.ts';
import { Effects } from '../effect/effects.ts';
import { Outbox } from '../effect/outbox.ts';
import { Maintenance } from '../journal/maintenance.ts';
import { Recorder } from '../journal/recorder.ts';
import { Repairs } from '../journal/repairs.ts';
import { TimeTravel } from '../journal/time-travel.ts';
import type { Awaitable, Reading } from '../load/awaitable.ts';
import { isPromise, perform, read } from '../load/awaitable.ts';
import type { QueueOptions } from '../queue/queue-types.ts';
import { Queues } from '../queue/queues.ts';
import { Search } from '../search/search.ts';
import { findEarliest } from '../timer/earliest.ts';
import type { DateRange, Schedule, Scheduled } from '../timer/schedule-types.ts';
import { Schedules } from '../timer/schedules.ts';
import { Timers } from '../timer/timers.ts';
import { copyPlain, toBounded } from '../value/plain.ts';
import { decodeRow } from '../value/typed-value.ts';
import { awaitView } from '../view/await-view.ts';
import { Watchers } from '../view/watchers.ts';
import { ActorCache } from './actor-cache.ts';
import type { ActorCell } from './actor-cell.ts';
import type { ActorState } from './actor-state.ts';
import { toView } from './actor-state.ts';
import type { Core } from './core.ts';
import { EngineError } from './error.ts';
import { Ingress } from './ingress.ts';
import { Intake } from './intake.ts';
import { InternalLane } from './internal-lane.ts';
import { createTypedActors } from './typed-actors.ts';
import type {
  Ack,
  ActorEngine,
  AskOptions,
  CreateOptions,
  DeadLetter,
  EffectResult,
  EngineStats,
  Enqueued,
  Ev,
  Explained,
  JournalEntry,
  Kind,
  ListChange,
  ListQuery,
  ListRow,
  Page,
  QueuedRow,
  RetryOptions,
  TellOptions,
  TypedActors,
  View,
  WaitOptions,
} from './types.ts';

/** Rows that `journal` reads from the store per batch. */
const JOURNAL_BATCH = 256;
const DEAD_LETTERS_PAGE = 100;
/** Actors whose effects are resumed together. */
const RESUMED_TOGETHER = 256;

/** Engine implementation: connects its parts and answers callers. Created by `createEngine`. */
export class LiveEngine implements ActorEngine {
  readonly #core: Core;
  readonly #cells: ActorCache;
  readonly #ingress: Ingress;
  readonly #repairs: Repairs;
  readonly #timeTravel: TimeTravel;
  readonly #lane: InternalLane;
  readonly #timers: Timers;
  readonly #effects: Effects;
  readonly #crashes: CrashCounter;
  readonly #outbox: Outbox;
  readonly #watchers: Watchers;
  readonly #maintenance: Maintenance;
  readonly #queues: Queues;
  readonly #schedules: Schedules;
  readonly #search: Search;
  #closed = false;
  #waitingCallers = 0;

  constructor(core: Core, queues: readonly QueueOptions[]) {
    this.#core = core;
    const recorder = new Recorder(core);
    const cells = new ActorCache(core, recorder);
    const intake = new Intake(core, cells, recorder);
    const lane = new InternalLane(core, cells, intake);
    this.#cells = cells;
    this.#search = new Search(core, cells);
    this.#lane = lane;
    const ingress = new Ingress(core, cells, intake);
    this.#ingress = ingress;
    const crashes = new CrashCounter(core);
    this.#crashes = crashes;
    this.#repairs = new Repairs(core, { cells, intake, lane, crashes });
    this.#timeTravel = new TimeTravel(core, cells, intake);
    this.#timers = new Timers(core, lane);
    this.#watchers = new Watchers(core, cells.loader);
    ingress.onPurged = (row) => {
      crashes.clearActor(row.id);
      this.#watchers.onPurged(row);
    };
    this.#effects = new Effects(
      core,
      { cells, recorder, lane, crashes },
      {
        tell: (id, event, o) => this.#guard(() => this.#ingress.tell(id, event, o, 'reserved')),
        create: (kind, id, input, o) => this.create(kind, id, input, o),
        enqueue: (queue, kind, id, input) => this.enqueue(queue, kind, id, input),
        show: (id, event) => this.#watchers.show(id, event),
      },
    );
    const repeatStep = (id: string, seq: number) => this.#timeTravel.repeatStep(id, seq);
    this.#outbox = new Outbox(core, { cells, intake, lane, effects: this.#effects, repeatStep });
    this.#maintenance = new Maintenance(core, cells, (id) => this.purge(id));
    this.#queues = new Queues(core, queues, { cells, intake, ingress });
    const parts = { cells, intake, ingress, queues: this.#queues };
    this.#schedules = new Schedules(core, parts);
    // Watchers must see a row before anything that it starts can add the next one.
    recorder.addHook((committed) => this.#watchers.onCommitted(committed));
    recorder.onEffectUpdated = (id) => this.#watchers.onViewChanged(id);
    const { observer } = core;
    if (observer !== undefined) {
      recorder.addHook(({ entry, after }) => observer.recorded(entry, after.trace));
    }
    recorder.addHook((committed) => this.#timers.onCommitted(committed));
    recorder.addHook((committed) => this.#effects.onCommitted(committed));
    recorder.addHook((committed) => this.#outbox.onCommitted(committed));
  }

  /** Reads what counts from the first call on: slots of queues, crashed effects, system ids. */
  open(): void {
    this.openAfter(perform(this.#open()));
  }

  *#open(): Reading<void> {
    yield* read(this.#core.committer.opening);
    this.#watchers.open();
    this.#core.systems.load(yield* read(this.#core.store.systemIds()));
    yield* this.#queues.open();
    yield* this.#crashes.load();
    yield* this.#schedules.open();
  }

  /** Holds back all calls until `ready` resolves. */
  openAfter(ready: Awaitable<void>): void {
    if (isPromise(ready)) this.#cells.loader.openAfter(ready);
  }

  /** Resumes what the last process left: running effects, messages and timers. */
  start(): Awaitable<void> {
    return this.#cells.loader.whenOpen(() => this.#cells.loader.track(this.#start()));
  }

  *#start(): Reading<void> {
    if (this.#closed) return;
    this.#queues.pump();
    const ids = yield* read(this.#core.store.actorsWithEffects());
    for (let from = 0; from < ids.length; from += RESUMED_TOGETHER) {
      const together = ids.slice(from, from + RESUMED_TOGETHER);
      for (const loaded of together.map((id) => this.#load(id))) yield* read(loaded);
      for (const id of together) yield* read(this.#resumeEffects(id));
    }
    yield* this.#outbox.start();
    yield* this.#timers.start();
    if (this.#closed) return;
    this.#maintenance.start();
    this.#schedules.start();
    this.#search.start();
  }

  create(kind: string, id: string, input?: unknown, o: CreateOptions = {}): Promise<Ack> {
    return this.#guard(() => this.#ingress.create(kind, id, input, o));
  }

  of<M extends AnyStateMachine>(kind: Kind<M>): TypedActors<M> {
    return createTypedActors(this, kind);
  }

  tell(id: string, event: Ev, o?: TellOptions): Promise<Ack> {
    return this.#guard(() => this.#ingress.tell(id, event, o, 'outside'));
  }

  async ask(id: string, event: Ev, until: (view: View) => boolean, o: AskOptions): Promise<View> {
    const deadline = this.#core.clock.now() + o.timeoutMs;
    await this.tell(id, event);
    return copyPlain(await this.#awaitView(id, until, { ...o, deadline }));
  }

  async waitFor(id: string, until: (view: View) => boolean, o: WaitOptions): Promise<View> {
    const deadline = this.#core.clock.now() + o.timeoutMs;
    return copyPlain(await this.#guard(() => this.#awaitView(id, until, { ...o, deadline })));
  }

  async view(id: string, atSeq?: number): Promise<View> {
    if (atSeq !== undefined) return await this.#timeTravel.viewAt(id, atSeq);
    const found = this.#cells.prepare({ ids: [id] }, () => this.#cells.get(id));
    const cell = isPromise(found) ? await found : found;
    if (cell.committed === undefined) await cell.ready;
    return copyPlain(toView(cell.subject, cell.committed ?? cell.live));
  }

  watch(id: string, fromSeq: number, listener: (entry: JournalEntry) => void): () => void {
    return this.#watchers.watch(id, fromSeq, listener);
  }

  watchShown(id: string, listener: (event: Ev) => void): () => void {
    return this.#watchers.watchShown(id, listener);
  }

  async *journal(id: string, from = 1, limit = Number.POSITIVE_INFINITY) {
    let next = from;
    let left = limit;
    while (left > 0) {
      const answer = this.#core.store.readJournal(id, next, Math.min(left, JOURNAL_BATCH));
      const rows = isPromise(answer) ? await answer : answer;
      for (const row of rows) yield decodeRow(row);
      const last = rows.at(-1);
      if (last === undefined) return;
      next = last.seq + 1;
      left -= rows.length;
    }
  }

  async list(query: ListQuery): Promise<Page<ListRow>> {
    await this.#search.prepare(query);
    return this.#core.store.list(query);
  }

  feed(fromGlobalSeq: number, listener: (entry: JournalEntry) => void): () => void {
    return this.#watchers.feed(fromGlobalSeq, listener);
  }

  async feedRows(fromGlobalSeq: number, limit: number): Promise<readonly JournalEntry[]> {
    return await this.#watchers.feedRows(fromGlobalSeq, limit);
  }

  watchList(listener: (change: ListChange) => void): () => void {
    return this.#watchers.watchList(listener);
  }

  watchPurges(listener: (id: string) => void): () => void {
    return this.#watchers.watchPurges(listener);
  }

  async explain(id: string, atSeq?: number): Promise<Explained> {
    const found = this.#cells.prepare({ ids: [id] }, () => this.#cells.get(id));
    await (isPromise(found) ? await found : found).ready;
    return copyPlain(await this.#timeTravel.explain(id, atSeq));
  }

  waiting(id: string): number {
    const cell = this.#cells.peek(id);
    return cell === undefined ? 0 : cell.pending + cell.held.length;
  }

  stop(id: string): Promise<Ack> {
    return this.#guard(() => this.#repairs.stop(id));
  }

  async purge(id: string): Promise<void> {
    await this.#guard(() => Promise.resolve(this.#cells.loader.track(this.#purge(id))));
  }

  *#purge(id: string): Reading<void> {
    if (this.#ingress.pendingPurge(id) !== undefined) {
      yield* read(this.#cells.prepare({ ids: [id] }, () => this.#ingress.purge(id)));
      return;
    }
    const refuse = (each: string): void => this.#refuseToPurge(each);
    try {
      const ids = [...(yield* listDescendants(this.#core.store, this.#cells, id, refuse)), id];
      yield* read(this.#cells.prepare({ ids }, () => this.#purgeAll(ids)));
    } catch (error) {
      // Another call has purged it since.
      const pending = this.#ingress.pendingPurge(id);
      if (pending === undefined) throw error;
      yield* read(pending);
    }
  }

  /** Only an actor that has ended and sends nothing gets no more children. */
  #refuseToPurge(id: string): void {
    this.#ingress.assertEnded(id);
    // A later actor with the same id would send messages with the same keys.
    if (!this.#outbox.isSending(id)) return;
    const message = `The actor ${id} still has undelivered messages.`;
    throw new EngineError('ACTOR_ACTIVE', message, { data: { id } });
  }

  fork(...[id, atSeq, o]: Parameters<ActorEngine['fork']>) {
    return this.#guard(() => this.#timeTravel.fork(id, atSeq, o));
  }

  complete(effectToken: string, result: EffectResult): Promise<Ack> {
    return this.#guard(() => {
      const storable = toBounded(result, 'result', this.#core.limits.eventCharsMax);
      return this.#repairs.complete(effectToken, (row) => toResultEvent(row, storable));
    });
  }

  async deadLetters(cursor?: string): Promise<Page<DeadLetter>> {
    return this.#core.store.deadLetters(cursor, DEAD_LETTERS_PAGE);
  }

  retry(deadLetterId: string, o?: RetryOptions): Promise<Ack> {
    return this.#guard(() => this.#repairs.retry(deadLetterId, o));
  }

  enqueue(...[queue, kind, id, input, options = {}]: Parameters<ActorEngine['enqueue']>) {
    return this.#guard<Enqueued>(() => this.#queues.enqueue({ queue, kind, id, input, options }));
  }

  async queued(queue: string, cursor?: string): Promise<Page<QueuedRow>> {
    return await this.#queues.queued(queue, cursor);
  }

  dequeue(queue: string, id: string): Promise<boolean> {
    return this.#guard(() => this.#queues.dequeue(queue, id));
  }

  schedule(name: string, schedule: Schedule): Promise<Scheduled> {
    return this.#guard(() => this.#schedules.set(name, schedule));
  }

  async schedules(): Promise<readonly Scheduled[]> {
    return this.#schedules.list();
  }

  pauseSchedule(name: string): Promise<Scheduled> {
    return this.#guard(() => this.#schedules.setPaused(name, true));
  }

  resumeSchedule(name: string): Promise<Scheduled> {
    return this.#guard(() => this.#schedules.setPaused(name, false));
  }

  backfillSchedule(name: string, range: DateRange): Promise<readonly string[]> {
    return this.#guard(() => this.#schedules.backfill(name, range));
  }

  unschedule(name: string): Promise<boolean> {
    return this.#guard(() => this.#schedules.remove(name));
  }

  stats(): EngineStats {
    const { committer } = this.#core;
    return {
      live: this.#cells.size,
      pendingCommits: committer.pending,
      runningEffects: this.#effects.running,
      waitingCallers: this.#waitingCallers,
      nextDue: this.#closed ? undefined : this.#nextDue(),
      globalSeq: committer.globalSeq,
    };
  }

  #nextDue(): number | undefined {
    const times = [this.#timers.nextDue, this.#queues.nextDue, this.#schedules.nextDue];
    return findEarliest(times);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#stopWork();
    // What was called before is decided first.
    const idle = this.#cells.loader.idle();
    if (isPromise(idle)) await idle;
    // With its last rows in a snapshot, an actor can be migrated to the next version.
    this.#cells.writeSnapshots();
    await this.#core.committer.idle();
    this.#watchers.close();
  }

  /** Stops all work after a failed commit. */
  fail(): void {
    this.#stopWork();
    this.#watchers.close();
  }

  #stopWork(): void {
    this.#closed = true;
    this.#lane.close();
    this.#timers.close();
    this.#effects.close();
    this.#outbox.close();
    this.#maintenance.close();
    this.#queues.close();
    this.#schedules.close();
    this.#search.close();
  }

  async #purgeAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#refuseToPurge(id);
    await Promise.all(ids.map((id) => this.#ingress.purge(id)));
  }

  /** Loads an actor that is used soon. */
  #load(id: string): Awaitable<void> {
    return this.#cells.prepare({ ids: [id] }, () => {
      try {
        this.#cells.find(id);
      } catch {
        // Where it is used, the same error is reported.
      }
    });
  }

  #resumeEffects(id: string): Awaitable<void> {
    return this.#cells.prepare({ ids: [id] }, () => {
      try {
        const cell = this.#cells.find(id);
        if (cell !== undefined) this.#effects.resume(cell);
      } catch (cause) {
        this.#cells.reportUnloadable(id, cause);
      }
    });
  }

  /**
   * Rejects every call once the engine is closed or failed, and turns every throw into a rejection.
   */
  #guard<T>(run: () => Promise<T>): Promise<T> {
    const { failure } = this.#core.committer;
    if (failure !== undefined) return Promise.reject(failure);
    if (this.#closed)
      return Promise.reject(new EngineError('ENGINE_CLOSED', 'The engine is closed.'));
    const { opening } = this.#cells.loader;
    if (opening !== undefined) return opening.then(() => this.#guard(run));
    try {
      return run();
    } catch (error) {
      return this.#rejectDurably(error);
    }
  }

  /** A refusal says something about a state, so it waits until that state is on disk. */
  async #rejectDurably(error: unknown): Promise<never> {
    await this.#core.committer.settled();
    throw error;
  }

  #awaitView(
    id: string,
    until: (view: View) => boolean,
    o: WaitOptions & { readonly deadline: number },
  ): Promise<View> {
    return this.#cells.prepare({ ids: [id] }, () => {
      const cell = o.untilCreated === true ? this.#cells.find(id) : this.#cells.get(id);
      this.#waitingCallers += 1;
      return awaitView({
        ...o,
        id,
        until,
        clock: this.#core.clock,
        // A view changes by a commit, whose actor is in memory.
        current: () => getCommittedView(this.#cells.peek(id) ?? cell),
        listen: (changed) => this.#watchers.listenView(id, changed),
      }).finally(() => {
        this.#waitingCallers -= 1;
      });
    });
  }
}

function getCommittedView(cell: ActorCell | undefined): View | undefined {
  const state: ActorState | undefined = cell?.committed;
  return cell === undefined || state === undefined ? undefined : toView(cell.subject, state);
}
