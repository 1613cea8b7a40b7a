import { AppError } from '../../domain/common/error.ts';
import type { InspectSubscription, PushSink } from '../../domain/inspect/inspector.ts';
import type { Topic } from '../../domain/inspect/message.ts';
import type { RuntimeSource } from '../../domain/inspect/runtime-source.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import { ActorDirectory } from './actor-directory.ts';
import { toJournalRow } from './console-rows.ts';
import type { FrameProducer } from './frame-source.ts';
import { FrameClient, FrameSource } from './frame-source.ts';
import { toWireError } from './inspect-error.ts';
import type { EngineInspectorOptions } from './inspector-options.ts';
import type { PushSource } from './outlet.ts';
import { Outlet } from './outlet.ts';
import type { Readings } from './readings.ts';
import type { RowReader } from './row-source.ts';
import { RowCursor, RowSource } from './row-source.ts';
import type { SubjectTopic } from './subject-views.ts';
import { NO_SUBJECTS } from './subject-views.ts';
import { XStateFormatter } from './xstate-format.ts';

type TopicOf<Name extends Topic['name']> = Extract<Topic, { name: Name }>;

/** Starts subscriptions. Subscriptions to the same subject share its source. */
export class Topics {
  readonly #options: EngineInspectorOptions;
  readonly #readings: Readings;
  readonly #directory: ActorDirectory;
  readonly #frames = new WatchedCache<FrameSource>();
  readonly #rows = new WatchedCache<RowSource>();

  constructor(options: EngineInspectorOptions, readings: Readings) {
    this.#options = options;
    this.#readings = readings;
    this.#directory = new ActorDirectory(options);
  }

  async subscribe(topic: Topic, sink: PushSink): Promise<InspectSubscription> {
    const outlet = new Outlet(sink);
    switch (topic.name) {
      case 'actors':
        outlet.add(this.#directory.join(outlet, createFailureHandler(outlet)));
        break;
      case 'actor':
        await this.#actor(topic, outlet);
        break;
      case 'feed':
        this.#feed(topic, outlet);
        break;
      case 'panel':
      case 'audit':
        await this.#subject(topic, outlet);
        break;
      case 'runtime':
        outlet.add(new RuntimeClient(this.#options.runtime, outlet));
        break;
    }
    return outlet;
  }

  async #actor({ actorId, fromSeq, format }: TopicOf<'actor'>, outlet: Outlet): Promise<void> {
    const { engine } = this.#options;
    const { seq, kind } = await engine.view(actorId);
    const redactor = this.#readings.redactorOf(kind);
    if (format !== 'xstate') {
      // A search from before this subscription may lack letters that no later row announces.
      this.#readings.deadLetters.invalidate();
      const origin: FrameProducer = {
        create: () => this.#readings.frame(actorId),
        watch: (changed) =>
          engine.watch(actorId, seq + 1, (entry) => this.#onActorEntry(entry, changed)),
      };
      this.#addFrames(`actor ${actorId}`, origin, outlet);
    }
    const origin: RowReader = {
      positionOf: (row) => row.seq,
      read: (from, limit) => this.#journal(actorId, from, limit),
      watch: (from, listener) => engine.watch(actorId, from, listener),
      toRow: (entry) => toJournalRow(entry, redactor),
    };
    this.#addRows(origin, { key: `actor ${actorId}`, next: seq + 1, fromSeq, format }, outlet);
    this.#endWhenPurged(actorId, outlet);
  }

  #onActorEntry(entry: JournalEntry, changed: () => void): void {
    if (entry.entry === 'poison' || entry.cause.by === 'retry')
      this.#readings.deadLetters.invalidate();
    changed();
  }

  async #journal(id: string, from: number, limit: number): Promise<readonly JournalEntry[]> {
    const { engine } = this.#options;
    const { seq } = await engine.view(id);
    const rows: JournalEntry[] = [];
    for await (const entry of engine.journal(id, from, limit)) {
      if (entry.seq <= seq) rows.push(entry);
    }
    return rows;
  }

  #feed({ fromSeq, format }: TopicOf<'feed'>, outlet: Outlet): void {
    const { engine } = this.#options;
    const origin: RowReader = {
      positionOf: (row) => row.globalSeq,
      read: (from, limit) => engine.feedRows(from, limit),
      watch: (from, listener) => engine.feed(from, listener),
      toRow: (entry) => toJournalRow(entry, this.#readings.redactorOf(entry.kind)),
    };
    const { globalSeq, pendingCommits } = engine.stats();
    // Rows that are not on disk yet arrive through the watch.
    const next = Math.max(1, globalSeq - pendingCommits + 1);
    this.#addRows(origin, { key: 'feed', next, fromSeq, format }, outlet);
  }

  async #subject(topic: SubjectTopic, outlet: Outlet): Promise<void> {
    const { name, actorId } = topic;
    const { frames, live } = await (this.#options.subjects ?? NO_SUBJECTS).open(topic);
    this.#addFrames(`${name} ${actorId}`, frames, outlet);
    if (live !== undefined) outlet.add(live(outlet));
    this.#endWhenPurged(actorId, outlet);
  }

  #endWhenPurged(actorId: string, outlet: Outlet): void {
    const stop = this.#options.engine.watchPurges((id) => {
      const facts = { message: `${actorId} was purged.`, data: { id } };
      if (id === actorId) createFailureHandler(outlet)(new AppError('ACTOR_UNKNOWN', facts));
    });
    outlet.add({ pump: () => undefined, stop });
  }

  #addFrames(key: string, origin: FrameProducer, outlet: Outlet): void {
    const source = this.#frames.getOrCreate(
      key,
      () => new FrameSource(origin, this.#options.clock),
    );
    outlet.add(new FrameClient(source, outlet, createFailureHandler(outlet)));
  }

  #addRows(
    origin: RowReader,
    o: { key: string; next: number; fromSeq: number | undefined; format: string | undefined },
    outlet: Outlet,
  ): void {
    const source = this.#rows.getOrCreate(
      o.key,
      () => new RowSource(origin, this.#options.clock, o.next),
    );
    const formatter = new XStateFormatter((kind) => this.#readings.machines.definitionOf(kind));
    const cursor = new RowCursor(source, Math.max(1, o.fromSeq ?? source.next), {
      outlet,
      fail: createFailureHandler(outlet),
      push: (rows, nextSeq) => {
        if (o.format !== 'xstate') {
          outlet.push({ kind: 'rows', rows, nextSeq });
          return;
        }
        const events = rows.flatMap((row) => formatter.format(row, origin.positionOf(row) + 1));
        outlet.push({ kind: 'shown', event: { type: '@xstate.batch', events, nextSeq } });
      },
    });
    outlet.add(cursor);
  }
}

function createFailureHandler(outlet: Outlet): (thrown: unknown) => void {
  return (thrown) => outlet.fail({ kind: 'ended', error: toWireError(thrown) });
}

/** A client of runtime metrics. It receives the history, then each new sample. */
class RuntimeClient implements PushSource {
  readonly #runtime: RuntimeSource;
  readonly #outlet: Outlet;
  readonly #stop: () => void;
  #isBehind = false;

  constructor(runtime: RuntimeSource, outlet: Outlet) {
    this.#runtime = runtime;
    this.#outlet = outlet;
    this.#outlet.push({ kind: 'frame', frame: runtime.history() });
    this.#stop = runtime.watch((frame) => {
      if (outlet.isOpen) outlet.push({ kind: 'frame', frame });
      else this.#isBehind = true;
    });
  }

  /** Sends the whole history again after missed samples. */
  pump(): void {
    if (!this.#isBehind || !this.#outlet.isOpen) return;
    this.#isBehind = false;
    this.#outlet.push({ kind: 'frame', frame: this.#runtime.history() });
  }

  stop(): void {
    this.#stop();
  }
}

/** Reference-counted cache: one value per key, as long as it is watched. */
class WatchedCache<T extends { readonly isWatched: boolean }> {
  readonly #values = new Map<string, T>();

  /** Returns the value of a key; creates it if nobody watches it. */
  getOrCreate(key: string, make: () => T): T {
    const known = this.#values.get(key);
    if (known?.isWatched === true) return known;
    this.#removeUnwatched();
    const made = make();
    this.#values.set(key, made);
    return made;
  }

  #removeUnwatched(): void {
    for (const [key, thing] of this.#values) if (!thing.isWatched) this.#values.delete(key);
  }
}
