import { toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { EventFeed } from '../../domain/event/event-log.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { JournalEntry } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';
import type { Services } from '../common/services.ts';
import type { Projection, Projector } from './projector.ts';

/** Number of feed rows read at once. */
const BATCH_SIZE = 256;
/** Wait before a failed projection is retried, in milliseconds. */
export const PROOF_RETRY_MS = 10 * SECOND_MS;

type Ports = Pick<Services, 'clock' | 'engine' | 'notice'> & {
  readonly events: EventFeed;
  readonly log: ProofLog;
  /** A kind can have several projectors. */
  readonly projectors: readonly Projector[];
};

/**
 * Writes the proofs and public events of committed journal rows. It reads the engine's feed from a
 * cursor that both logs store, and advances the cursor only past what is on disk. After a crash
 * some rows are read again; their keys prevent duplicates. A lost or newer log is rebuilt from the
 * first row.
 */
export class ProofProjector {
  readonly #parts: Ports;
  #cursor: number;
  #stopFeed: (() => void) | undefined;
  #cancelRetry: () => void = () => undefined;
  #run: Promise<void> | undefined;
  #isDirty = false;
  /** True after a failure: rows from the cursor on are still unread. */
  #isBehind = false;
  #isStopped = false;
  readonly #caughtUp: Promise<void>;
  #hasCaughtUp: () => void = () => undefined;

  constructor(parts: Ports) {
    this.#parts = parts;
    this.#cursor = Math.min(parts.log.position, parts.events.position);
    this.#caughtUp = new Promise((resolve) => {
      this.#hasCaughtUp = resolve;
    });
    this.#wake();
  }

  /** Resolves when all rows present at the start are projected; never if it is stopped before. */
  caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  /** Stores the cursor. Rows projected again without it create no second record. */
  async storeCursor(): Promise<void> {
    const at = this.#cursor;
    for (const log of [this.#parts.log, this.#parts.events]) {
      if (at > log.position) await log.keepPosition(at);
    }
  }

  /** Stops after the current batch and stores the cursor. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopFeed?.();
    this.#cancelRetry();
    await this.#run;
    await this.storeCursor();
  }

  readonly #onEntry = (entry: JournalEntry): void => {
    if (entry.globalSeq < this.#cursor) return;
    if (this.#run !== undefined || this.#isBehind) this.#isDirty = true;
    else if (this.#projectorsOf(entry).length > 0) this.#wake();
    // Rows arrive in order: while no read is in progress, all earlier rows are projected.
    else this.#cursor = entry.globalSeq + 1;
  };

  #wake(): void {
    if (this.#isStopped || this.#run !== undefined) return;
    this.#cancelRetry();
    this.#run = this.#readToEnd()
      .then(() => this.#follow())
      .catch((thrown: unknown) => this.#retryLater(thrown))
      .finally(() => {
        this.#run = undefined;
        if (this.#isDirty) this.#wake();
      });
  }

  async #readToEnd(): Promise<void> {
    const { engine } = this.#parts;
    while (!this.#isStopped) {
      this.#isDirty = false;
      const rows = await engine.feedRows(this.#cursor, BATCH_SIZE);
      const last = rows.at(-1);
      if (last === undefined && !this.#isDirty) return;
      await this.#writeRecords(rows);
      if (last !== undefined) this.#cursor = last.globalSeq + 1;
      if (rows.length === BATCH_SIZE) await this.storeCursor();
    }
  }

  #follow(): void {
    if (this.#isStopped) return;
    this.#isBehind = false;
    this.#hasCaughtUp();
    this.#stopFeed ??= this.#parts.engine.feed(this.#cursor, this.#onEntry);
  }

  #retryLater(thrown: unknown): void {
    const { clock, notice } = this.#parts;
    this.#isDirty = false;
    this.#isBehind = true;
    notice(`proofs: ${toAppError(thrown).message}`);
    if (this.#isStopped) return;
    this.#cancelRetry = clock.at(clock.now() + PROOF_RETRY_MS, () => this.#wake());
  }

  async #writeRecords(rows: readonly JournalEntry[]): Promise<void> {
    const { log, events } = this.#parts;
    const projections: Projection[] = [];
    for (const row of rows) projections.push(...(await this.#project(row)));
    await Promise.all([
      ...projections.flatMap(({ proofs }) => proofs.map((proof) => log.append(proof))),
      ...projections.flatMap((each) => each.events.map((event) => events.append(event))),
    ]);
  }

  async #project(row: JournalEntry): Promise<readonly Projection[]> {
    const projectors = this.#projectorsOf(row);
    if (projectors.length === 0) return [];
    // Finished actors are removed only after projection, so a missing actor already has its
    // records.
    const view = await findActor(this.#parts.engine, row.id);
    if (view === undefined) return [];
    return Promise.all(projectors.map((projector) => projector.project(view, row)));
  }

  #projectorsOf({ kind, event }: JournalEntry): readonly Projector[] {
    return this.#parts.projectors.filter(
      (projector) => projector.kind === kind && projector.after.includes(event.type),
    );
  }
}
