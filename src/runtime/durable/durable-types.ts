import type {
  AnyStateMachine,
  ContextFrom,
  EmittedFrom,
  EventFrom,
  InputFrom,
  OutputFrom,
} from 'xstate';
import type { DefinitionSource } from '../engine/define.ts';
import type { EngineOptions } from '../engine/engine.ts';
import type {
  Ack,
  ActorEngine,
  AskOptions,
  CreateOptions,
  Definition,
  Enqueued,
  EnqueueOptions,
  JournalEntry,
  ListQuery,
  ListRow,
  Page,
  TellOptions,
  ViewOf,
} from '../engine/types.ts';
import type {
  SearchAttributes,
  SearchQuery,
  SearchQueryOf,
  SearchTypes,
} from '../search/search-types.ts';
import type { Schedule, Scheduled } from '../timer/schedule-types.ts';

/**
 * A kind of actor of an app. A machine alone must need no effects; its kind is the name of the
 * member and its version is 1, as in a source without `kind` and `version`.
 */
export type ActorSource<M extends AnyStateMachine> =
  | Definition<M>
  | (M & Unnamed)
  | (Omit<DefinitionSource<M>, 'kind' | 'version'> & Unnamed & { readonly version?: number });

/** Lets the compiler tell a definition from the others, so that it infers the types of effects. */
interface Unnamed {
  readonly kind?: undefined;
}

/** Machines by the name of their kind. */
export type Machines = Readonly<Record<string, AnyStateMachine>>;

/** Names that no kind can have: every app has these members. */
interface Reserved {
  readonly engine?: never;
  readonly close?: never;
}

/** Search attributes by the name of their kind. */
export type Searches = Readonly<Record<string, SearchTypes>>;

/** Options of an app, in addition to those of its engine. */
export interface AppOptions<All extends Machines, Found extends Searches = Searches>
  extends Partial<Omit<EngineOptions, 'definitions' | 'store' | 'clock'>> {
  /** The kinds of actors by their names in the app, except `engine` and `close`. */
  readonly actors: { readonly [Name in keyof All]: ActorSource<All[Name]> } & Reserved;
  /** Attributes by which `list` finds actors, by kind. They replace those of a definition. */
  readonly search?: Found & {
    readonly [Name in keyof All]?: SearchAttributes<ContextFrom<All[Name]>>;
  };
  /** Default: the system clock. */
  readonly clock?: EngineOptions['clock'];
  /**
   * Keeps the process alive while an effect runs, a timer or a schedule is due later, or a caller
   * waits. Default `true`; set `false` if your program decides itself when it ends.
   */
  readonly keepAlive?: boolean;
}

/** An app: one member per kind, the engine itself, and `close`. */
export type DurableApp<All extends Machines, Found = unknown> = {
  readonly [Name in keyof All]: DurableActors<
    All[Name],
    Name extends keyof Found ? Found[Name] : SearchTypes
  >;
} & {
  readonly engine: ActorEngine;
  /** Closes the engine, and the store unless you passed one. */
  close(): Promise<void>;
};

/** The input of a machine as arguments: optional if the machine needs none. */
export type InputArgs<M extends AnyStateMachine, Rest extends readonly unknown[]> =
  undefined extends InputFrom<M>
    ? readonly [input?: InputFrom<M>, ...rest: Rest]
    : readonly [input: InputFrom<M>, ...rest: Rest];

/** A schedule without its kind, with the input typed by the machine. */
export type ScheduleOf<M extends AnyStateMachine> = Omit<Schedule, 'kind' | 'input'> &
  (undefined extends InputFrom<M>
    ? { readonly input?: InputFrom<M> }
    : { readonly input: InputFrom<M> });

/** The actors of one kind. Ids are unique in the whole app, not only within a kind. */
export interface DurableActors<M extends AnyStateMachine, Types = SearchTypes> {
  /**
   * Creates an actor and resolves once it is on disk. A repeat with the same id returns the same
   * actor and ignores the input.
   *
   * @throws {EngineError} `ACTOR_KIND_CONFLICT` if the id belongs to another kind; `EVENT_INVALID`
   *   if the id or the input cannot be stored; `EVENT_POISON` if the machine cannot start;
   *   `STORE_FULL`.
   */
  start(id: string, ...args: InputArgs<M, [options?: CreateOptions]>): Promise<DurableActor<M>>;
  /**
   * Returns an actor that exists already. Its methods reject with `ACTOR_UNKNOWN` if it does not,
   * and with `ACTOR_KIND_CONFLICT` if it is of another kind.
   */
  get(id: string): DurableActor<M>;
  /** Returns a page of the actors of this kind. See `ActorEngine.list`. */
  list(
    query?: Omit<ListQuery, 'kind' | keyof SearchQuery> & SearchQueryOf<Types>,
  ): Promise<Page<ListRow>>;
  /**
   * Creates or changes a schedule, which creates actors of this kind. See `ActorEngine.schedule`.
   *
   * @throws {EngineError} `SCHEDULE_INVALID`, `QUEUE_UNKNOWN`, `STORE_FULL`, `OVERLOADED`
   */
  schedule(name: string, schedule: ScheduleOf<M>): Promise<Scheduled>;
  /**
   * Creates an actor when its queue has a free slot. See `ActorEngine.enqueue`.
   *
   * @throws {EngineError} `QUEUE_UNKNOWN`, `OVERLOADED`, `STORE_FULL`, `ACTOR_KIND_CONFLICT`
   */
  enqueue(
    queue: string,
    id: string,
    ...args: InputArgs<M, [options?: EnqueueOptions]>
  ): Promise<Enqueued>;
}

/** Options of a wait. */
export interface DurableWait extends Partial<AskOptions> {
  /** Milliseconds after which the wait rejects with `ASK_TIMEOUT`. Default: none. */
  readonly timeoutMs?: number;
}

/** Options of `DurableActor.emitted`. */
export interface EmittedOptions {
  /** First row of the journal whose events are delivered. Default 1: all rows that are kept. */
  readonly fromSeq?: number;
}

/** An actor, typed by its machine. */
export interface DurableActor<M extends AnyStateMachine> {
  readonly id: string;
  /**
   * Sends an event and resolves once it is on disk. See `ActorEngine.tell`.
   *
   * @throws {EngineError} `ACTOR_CLOSED` if the actor has ended; `ACTOR_STUCK`; `EVENT_INVALID` if
   *   the event cannot be stored; `EVENT_POISON` if the machine throws; `SEQ_CONFLICT`;
   *   `OVERLOADED`.
   */
  send(event: EventFrom<M>, o?: TellOptions): Promise<Ack>;
  /** Returns the committed state. */
  query(): Promise<ViewOf<M>>;
  /**
   * Waits until the view matches.
   *
   * @throws {EngineError} `ASK_TIMEOUT` on timeout or abort; `ACTOR_CLOSED` if the actor ends
   *   without a match.
   */
  waitFor(predicate: (view: ViewOf<M>) => boolean, o?: DurableWait): Promise<ViewOf<M>>;
  /**
   * Waits for the end of the actor and returns its output. A stuck actor has not ended.
   *
   * @throws {EngineError} `ACTOR_FAILED` with the machine's error as `cause` if it ended in an
   *   error; `ACTOR_STOPPED`; `ASK_TIMEOUT` on timeout or abort.
   */
  result(o?: DurableWait): Promise<OutputFrom<M>>;
  /**
   * Stops the actor. Its effects are aborted and its timers removed.
   *
   * @throws {EngineError} `ACTOR_CLOSED` if it has ended.
   */
  stop(): Promise<Ack>;
  /**
   * Calls `listener` with the events that the machine emits, each once and in order, first those
   * of rows already stored. Messages to other actors are not among them.
   *
   * @returns A function that ends it.
   */
  emitted(listener: (event: EmittedFrom<M>) => void, o?: EmittedOptions): () => void;
  /** Reads the journal from row `from` on, at most `limit` rows. */
  journal(from?: number, limit?: number): AsyncIterable<JournalEntry>;
}
