import type { ActorEngine, JournalEntry } from '../engine/types.ts';

/**
 * The actors of an engine as XState inspection events, which tools for XState machines read.
 *
 * @module
 */

/** Version of the inspection format that XState tools write. */
const FORMAT_VERSION = '5';
/** Maximum number of actors remembered as announced; above it they are announced again. */
const ANNOUNCED_MAX = 10_000;

/** What an inspection event tells of a journal row. */
export interface InspectedRow<Event, Value> extends Pick<JournalEntry, 'id' | 'kind' | 'at'> {
  readonly event: Event;
  /** State value after the row. */
  readonly value: Value;
  readonly status: string;
  /** The actor that sent the event. */
  readonly from?: unknown;
}

/** An XState inspection event. */
export interface InspectionEvent<Event = unknown, Value = unknown> {
  readonly type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot';
  /** The kind of the actor. */
  readonly name: string;
  /** The id of the actor. */
  readonly sessionId: string;
  readonly rootId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: string;
  readonly _version: string;
  readonly event?: Event;
  readonly snapshot?: {
    readonly status: string;
    readonly value: Value;
    readonly context: Readonly<Record<string, never>>;
  };
  /** The actor that sent the event. */
  readonly sourceId?: string;
  /** The machine of the kind, as JSON text. */
  readonly definition?: string;
}

/** Options of {@link inspectActors}. */
export interface InspectOptions {
  /** Position in the global order to begin at. Default: the first row that is kept. */
  readonly fromGlobalSeq?: number;
  /** Returns the machine definition of a kind as JSON text, to show its chart. */
  readonly definitionOf?: (kind: string) => string | undefined;
}

/**
 * Calls `listener` with the inspection events of every committed row: an actor is announced once,
 * then each row is its event and its snapshot. Events are passed whole, contexts are left out.
 *
 * @returns A function that ends the inspection.
 *
 * @example
 * const end = inspectActors(engine, (event) => socket.send(JSON.stringify(event)));
 */
export function inspectActors(
  engine: Pick<ActorEngine, 'feed'>,
  listener: (event: InspectionEvent) => void,
  { fromGlobalSeq = 1, definitionOf = () => undefined }: InspectOptions = {},
): () => void {
  const formatter = new InspectionFormatter(definitionOf);
  return engine.feed(fromGlobalSeq, (row) => {
    const from = row.cause.by === 'actor' ? row.cause.from : undefined;
    for (const event of formatter.format({ ...row, from })) listener(event);
  });
}

/** Converts journal rows to XState inspection events. */
export class InspectionFormatter {
  readonly #definitionOf: (kind: string) => string | undefined;
  readonly #announced = new Set<string>();

  constructor(definitionOf: (kind: string) => string | undefined) {
    this.#definitionOf = definitionOf;
  }

  /** Converts one row: announces a new actor, then its event and its snapshot. */
  format<Event, Value>(row: InspectedRow<Event, Value>): readonly InspectionEvent<Event, Value>[] {
    const { id, kind, at, event, status, value, from } = row;
    const common = {
      name: kind,
      sessionId: id,
      rootId: id,
      createdAt: String(at),
      _version: FORMAT_VERSION,
    };
    const snapshot = { status, value, context: {} };
    const source = typeof from === 'string' ? { sourceId: from } : {};
    const events: InspectionEvent<Event, Value>[] = [
      { ...common, type: '@xstate.event', event, ...source },
      { ...common, type: '@xstate.snapshot', event, snapshot },
    ];
    if (!this.#isNew(id)) return events;
    const definition = this.#definitionOf(kind);
    const chart = definition === undefined ? {} : { definition };
    return [{ ...common, type: '@xstate.actor', snapshot, ...chart }, ...events];
  }

  #isNew(id: string): boolean {
    if (this.#announced.has(id)) return false;
    if (this.#announced.size >= ANNOUNCED_MAX) this.#announced.clear();
    this.#announced.add(id);
    return true;
  }
}
