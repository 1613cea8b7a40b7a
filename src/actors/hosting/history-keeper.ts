import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { derivedId } from '../../domain/hosting/derived-id.ts';
import type { HappenedEvent, ServiceHistory } from '../../domain/hosting/service-history.ts';
import type { ServiceEventTold } from '../../machines/hosting/service-event.ts';
import type { ActorEngine, Ev, JournalEntry } from '../../runtime/engine/types.ts';

/** Rows of the feed that are read in one go. */
const BATCH = 256;
/** Wait before a failed try is repeated, in milliseconds. */
const RETRY_MS = 10 * SECOND_MS;

/** What the history is kept with. */
export interface HistoryParts {
  readonly engine: ActorEngine;
  readonly history: ServiceHistory;
  readonly clock: Clock;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/**
 * Writes the history of services: what the machines of hosting tell with their transitions, and
 * nothing else. Read from the engine's feed; the place is kept in the commit of the events.
 */
export class HistoryKeeper {
  readonly #parts: HistoryParts;
  #end: () => void = () => undefined;
  #cancelRetry: () => void = () => undefined;
  #run: Promise<void> | undefined;
  #at: number;
  #isStopped = false;

  constructor(parts: HistoryParts) {
    this.#parts = parts;
    this.#at = parts.history.position;
  }

  /** Reads what there is, and follows from then on. */
  async start(): Promise<void> {
    await this.caughtUp();
    this.#end = this.#parts.engine.feed(this.#at, ({ globalSeq, emits }) => {
      if (globalSeq >= this.#at && emits.some(isTold)) this.#wake();
    });
  }

  /** Resolves when everything that was committed before the call is written. */
  async caughtUp(): Promise<void> {
    await this.#run;
    await this.#read();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end();
    this.#cancelRetry();
    await this.#run;
  }

  #wake(): void {
    if (this.#isStopped || this.#run !== undefined) return;
    this.#cancelRetry();
    this.#read().catch((thrown: unknown) => {
      const { clock, notice } = this.#parts;
      notice(`history of services: ${toAppError(thrown).message}`);
      this.#cancelRetry = clock.at(clock.now() + RETRY_MS, () => this.#wake());
    });
  }

  /** One reader at a time: the place moves with what is written. */
  #read(): Promise<void> {
    this.#run ??= this.#readAll().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  async #readAll(): Promise<void> {
    const { engine, history } = this.#parts;
    while (!this.#isStopped) {
      const rows = await engine.feedRows(this.#at, BATCH);
      const last = rows.at(-1);
      if (last === undefined) return;
      const events = rows.flatMap(happenedIn);
      const next = last.globalSeq + 1;
      if (events.length > 0 || rows.length === BATCH) await history.append(events, next);
      this.#at = next;
    }
  }
}

function isTold(event: Ev): event is Ev & ServiceEventTold {
  return event.type === 'service.event';
}

/** The same row gives the same ids, however often it is read. */
function happenedIn({ id, seq, at, globalSeq, emits }: JournalEntry): readonly HappenedEvent[] {
  return emits.filter(isTold).map(({ serviceId, event: type, details }, n) => {
    const timestamp = new Date(at).toISOString();
    const eventId = derivedId('event', `${id}/${seq}/${n}`);
    return { event: { id: eventId, serviceId, timestamp, type, details }, globalSeq, n };
  });
}
