import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { deriveId } from '../../domain/hosting/ids.ts';
import type { JournaledEvent, ServiceHistory } from '../../domain/hosting/service-history.ts';
import type { ServiceHistoryEvent } from '../../machines/hosting/service-event.ts';
import type { Ev, JournalEntry } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';

/** Number of feed rows read at once. */
const BATCH_SIZE = 256;
/** Wait before a failed run is retried, in milliseconds. */
const RETRY_MS = 10 * SECOND_MS;

type Ports = Pick<Services, 'clock' | 'engine' | 'notice'> & { readonly history: ServiceHistory };

/**
 * Projects the history of services from events that hosting machines emit. Reads the engine's feed;
 * the cursor is stored in the commit of the events.
 */
export class HistoryProjector {
  readonly #parts: Ports;
  #stopFeed: () => void = () => undefined;
  #cancelRetry: () => void = () => undefined;
  #run: Promise<void> | undefined;
  #cursor: number;
  #isStopped = false;

  constructor(parts: Ports) {
    this.#parts = parts;
    this.#cursor = parts.history.position;
  }

  /** Projects existing rows, then follows the feed. */
  async start(): Promise<void> {
    await this.waitUntilCurrent();
    this.#stopFeed = this.#parts.engine.feed(this.#cursor, ({ globalSeq, emits }) => {
      if (globalSeq >= this.#cursor && emits.some(isServiceEvent)) this.#wake();
    });
  }

  /** Resolves when everything committed before the call is projected. */
  async waitUntilCurrent(): Promise<void> {
    await this.#run;
    await this.#read();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopFeed();
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

  /** Allows one reader at a time, because the cursor advances with the written events. */
  #read(): Promise<void> {
    this.#run ??= this.#readAll().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  async #readAll(): Promise<void> {
    const { engine, history } = this.#parts;
    while (!this.#isStopped) {
      const rows = await engine.feedRows(this.#cursor, BATCH_SIZE);
      const last = rows.at(-1);
      if (last === undefined) return;
      const events = rows.flatMap(projectEvents);
      const next = last.globalSeq + 1;
      if (events.length > 0 || rows.length === BATCH_SIZE) await history.append(events, next);
      this.#cursor = next;
    }
  }
}

function isServiceEvent(event: Ev): event is Ev & ServiceHistoryEvent {
  return event.type === 'service.event';
}

/** The same row always gives the same event ids. */
function projectEvents({ id, seq, at, globalSeq, emits }: JournalEntry): readonly JournaledEvent[] {
  return emits.filter(isServiceEvent).map(({ serviceId, event: type, details }, n) => {
    const timestamp = new Date(at).toISOString();
    const eventId = deriveId('event', `${id}/${seq}/${n}`);
    return { event: { id: eventId, serviceId, timestamp, type, details }, globalSeq, n };
  });
}
