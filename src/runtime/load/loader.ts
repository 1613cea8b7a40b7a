import { EngineError } from '../engine/error.ts';
import type { StoredActor } from '../engine/ports.ts';
import type { Awaitable, Reading } from './awaitable.ts';
import { isPromise, perform } from './awaitable.ts';

/** What a section of the synchronous core reads. */
export interface Need<Rows = undefined> {
  /** Actors that it finds, creates or removes. */
  readonly ids: readonly string[];
  /** Sections with the same lane run in the order of the calls, like those of one actor. */
  readonly lane?: object;
  /** Reads further rows, once every earlier section of these actors has run. */
  readonly read?: () => Awaitable<Rows>;
}

/** Where the loader finds actors. */
export interface LoadSource {
  /** Returns whether memory decides: the actor is loaded, or its rows are being removed. */
  isKnown(id: string): boolean;
  load(id: string): Awaitable<StoredActor | undefined>;
  /** Resolves when everything decided so far is on disk. */
  settled(): Promise<void>;
  /** Called when an actor could not be read: its events can be neither decided nor dropped. */
  onFailed(error: EngineError): void;
}

/**
 * Loads what a section of the synchronous core needs before it runs. A store that answers at once
 * costs nothing: the section runs in the same turn. Otherwise the sections of one actor run in the
 * order of the calls, each on the rows as its predecessors left them.
 */
export class Loader {
  readonly #source: LoadSource;
  /** Sections that wait, by actor and by lane; the first one of each is being loaded. */
  readonly #queues = new Map<string | object, Section[]>();
  /** What memory forgets about an actor once the section that is being loaded has run. */
  readonly #outdated = new Map<string | object, (() => void)[]>();
  /** Rows for the section that runs now. */
  #rows: ReadonlyMap<string, LoadedActor> = NO_ROWS;
  /** Actors of the section that runs now. */
  #held: readonly string[] = NO_IDS;
  #opening: Promise<unknown> | undefined;
  #inFlight = 0;
  #idleWaiters: (() => void)[] = [];

  constructor(source: LoadSource) {
    this.#source = source;
  }

  /** Present until the engine has read what counts from the first call on. */
  get opening(): Promise<unknown> | undefined {
    return this.#opening;
  }

  /** Holds back all sections until `opened` resolves; they fail if it rejects. */
  openAfter(opened: Promise<unknown>): void {
    const all = this.#opening === undefined ? opened : Promise.all([this.#opening, opened]);
    this.#opening = all;
    const open = (): void => {
      if (this.#opening === all) this.#opening = undefined;
    };
    all.then(open, () => undefined);
  }

  /** Runs what needs an open engine. */
  whenOpen<R>(run: () => R): R | Promise<Awaited<R>> {
    const opening = this.#opening;
    if (opening === undefined) return run();
    return opening.then(() => this.whenOpen(run)) as Promise<Awaited<R>>;
  }

  /**
   * Runs a section once its rows are there: in this turn if nothing has to be awaited. What it
   * throws later is a refusal, which waits until the state that it speaks of is on disk.
   *
   * @returns What the section returns.
   */
  prepare<R, Rows = undefined>(need: Need<Rows>, run: (rows: Rows) => R): R | Promise<Awaited<R>> {
    if (this.#opening !== undefined) return this.whenOpen(() => this.prepare(need, run));
    if (this.#queues.size > 0 && !this.#areFree(need)) return this.#enqueue(need, run);
    const loaded = this.#load(need);
    return isPromise(loaded) ? this.#enqueue(need, run, loaded) : this.#run(need, run, loaded);
  }

  /** Returns a stored actor: as it was loaded for the section that runs, or from the store. */
  take(id: string): StoredActor | undefined {
    const loaded = this.#rows.get(id);
    if (loaded instanceof EngineError) throw loaded;
    if (loaded !== undefined || this.#rows.has(id)) return loaded;
    const stored = this.#source.load(id);
    if (!isPromise(stored)) return stored;
    stored.catch(() => undefined);
    throw new EngineError('STORE_FAILED', `${id} was not loaded before it was used.`, {
      data: { id },
    });
  }

  /** Returns whether a section of this actor waits for no other one. */
  isFree(id: string): boolean {
    if (this.#opening !== undefined) return false;
    return this.#queues.size === 0 || this.#held.includes(id) || !this.#queues.has(id);
  }

  /** Returns how many sections of an actor wait. */
  waiting(id: string): number {
    return this.#queues.get(id)?.length ?? 0;
  }

  /** Returns whether memory must keep an actor: a section waits for it or runs. */
  isPinned(id: string): boolean {
    return this.#queues.has(id) || this.#held.includes(id);
  }

  /**
   * Forgets a fact about an actor that is on disk now, unless a section may have read the rows from
   * before: then once that section has run.
   */
  forget(id: string, forget: () => void): void {
    if (!this.#queues.has(id)) {
      forget();
      return;
    }
    this.#outdated.set(id, [...(this.#outdated.get(id) ?? []), forget]);
  }

  /** Runs a computation of several sections, which `idle` waits for. */
  track<T>(reading: Reading<T>): Awaitable<T> {
    const result = perform(reading);
    if (!isPromise(result)) return result;
    this.#inFlight += 1;
    return result.finally(() => this.#end());
  }

  /** Resolves when no section waits. */
  idle(): Awaitable<void> {
    if (this.#inFlight === 0) return undefined;
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  #areFree({ ids, lane }: Need<unknown>): boolean {
    if (lane !== undefined && this.#queues.has(lane)) return false;
    return ids.every((id) => this.isFree(id));
  }

  #load<Rows>({ ids, read }: Need<Rows>): Awaitable<Loaded<Rows>> {
    let actors: Map<string, LoadedActor> | undefined;
    const later: Promise<unknown>[] = [];
    for (const id of ids) {
      if (this.#source.isKnown(id) || this.#rows.has(id)) continue;
      actors ??= new Map();
      const loading = this.#loadActor(id, actors);
      if (loading !== undefined) later.push(loading);
    }
    const rows = read?.();
    if (later.length === 0 && !isPromise(rows)) return { actors, rows: rows as Rows };
    return Promise.all(later).then(async () => ({ actors, rows: (await rows) as Rows }));
  }

  /** Loads an actor; returns a promise if the store answers later. */
  #loadActor(id: string, into: Map<string, LoadedActor>): Promise<unknown> | undefined {
    let stored: Awaitable<StoredActor | undefined>;
    try {
      stored = this.#source.load(id);
    } catch {
      // It throws again where the section uses the actor.
      return undefined;
    }
    if (!isPromise(stored)) {
      into.set(id, stored);
      return undefined;
    }
    return stored.then(
      (row) => into.set(id, row),
      (cause: unknown) => {
        if (!isRefusal(cause)) throw cause;
        into.set(id, cause);
      },
    );
  }

  #run<R, Rows>(need: Need<Rows>, run: (rows: Rows) => R, { actors, rows }: Loaded<Rows>): R {
    if (actors === undefined) return run(rows);
    const [before, held] = [this.#rows, this.#held];
    this.#rows = before.size === 0 ? actors : new Map([...before, ...actors]);
    this.#held = held.length === 0 ? need.ids : [...held, ...need.ids];
    try {
      return run(rows);
    } finally {
      this.#rows = before;
      this.#held = held;
    }
  }

  #enqueue<R, Rows>(
    need: Need<Rows>,
    run: (rows: Rows) => R,
    loading?: Promise<Loaded<Rows>>,
  ): Promise<Awaited<R>> {
    this.#inFlight += 1;
    return new Promise((resolve, reject) => {
      const places: (string | object)[] = [...new Set(need.ids)];
      if (need.lane !== undefined) places.push(need.lane);
      const refuse = (error: unknown): void => {
        this.#source.settled().then(() => reject(error), reject);
      };
      const finish = (loaded: Loaded<Rows>): void => {
        try {
          resolve(this.#run(need, run, { ...loaded, actors: loaded.actors ?? new Map() }) as never);
        } catch (error) {
          refuse(error);
        }
        this.#leave(section);
      };
      const fail = (cause: unknown): void => {
        if (isRefusal(cause)) refuse(cause);
        else reject(this.#toFailure(cause, need));
        this.#leave(section);
      };
      const begin = (first?: Promise<Loaded<Rows>>): void => {
        const loaded = first ?? this.#tryLoad(need);
        if (isPromise(loaded)) loaded.then(finish, fail);
        else finish(loaded);
      };
      const section: Section = { places, ahead: 0, begin };
      for (const place of places) if (this.#join(place, section) > 1) section.ahead += 1;
      if (section.ahead === 0) begin(loading);
    });
  }

  /** A store that throws has failed like one that rejects. */
  #tryLoad<Rows>(need: Need<Rows>): Awaitable<Loaded<Rows>> {
    try {
      return this.#load(need);
    } catch (cause) {
      return Promise.reject(cause);
    }
  }

  #join(place: string | object, section: Section): number {
    const queue = this.#queues.get(place);
    if (queue !== undefined) return queue.push(section);
    this.#queues.set(place, [section]);
    return 1;
  }

  #leave({ places }: Section): void {
    const ready: Section[] = [];
    for (const place of places) {
      const queue = this.#queues.get(place) ?? [];
      queue.shift();
      const outdated = this.#outdated.get(place) ?? [];
      this.#outdated.delete(place);
      for (const forget of outdated) forget();
      const [next] = queue;
      if (next === undefined) this.#queues.delete(place);
      else {
        next.ahead -= 1;
        if (next.ahead === 0) ready.push(next);
      }
    }
    // A microtask each: thousands of sections that need no row must not grow the stack.
    for (const next of ready) queueMicrotask(() => next.begin());
    this.#end();
  }

  #end(): void {
    this.#inFlight -= 1;
    if (this.#inFlight > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #toFailure(cause: unknown, { ids }: { readonly ids: readonly string[] }): EngineError {
    const message = `The store could not read the rows of ${ids.join(', ')}.`;
    const data = { ids };
    const failure =
      cause instanceof EngineError
        ? cause
        : new EngineError('STORE_FAILED', message, { data, cause });
    this.#source.onFailed(failure);
    return failure;
  }
}

/** A section that waits for its turn or for its rows. */
interface Section {
  /** Its actors and its lane. */
  readonly places: readonly (string | object)[];
  /** In how many of them an earlier section has not run yet. */
  ahead: number;
  begin(): void;
}

interface Loaded<Rows> {
  /** Actors that were not in memory; absent if there are none. */
  readonly actors: ReadonlyMap<string, LoadedActor> | undefined;
  readonly rows: Rows;
}

/** A stored actor, none, or why it cannot be read. */
type LoadedActor = StoredActor | undefined | EngineError;

/** Returns whether an error concerns the rows that were asked for, not the whole store. */
function isRefusal(cause: unknown): cause is EngineError {
  return cause instanceof EngineError && cause.code !== 'STORE_FAILED';
}

const NO_IDS: readonly string[] = [];
const NO_ROWS: ReadonlyMap<string, LoadedActor> = new Map();
