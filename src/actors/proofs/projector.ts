import { toAppError } from '../../domain/error.ts';
import { PaymentRecord } from '../../domain/payment-record.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { NewProof, ProofLog } from '../../domain/ports/proof-log.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { DebateContext } from '../../machines/parts/debate-context.ts';
import type { ActorEngine, JournalEntry, View } from '../../runtime/types.ts';
import { isEngineCode } from '../engine-error.ts';
import { DEBATE_KIND } from '../panels/debate-view.ts';
import { PAYMENT_KIND } from '../payments/definition.ts';
import { findPayment } from '../payments/record.ts';
import { debateProofs } from './debate-proofs.ts';
import { paymentProofs } from './payment-proofs.ts';

/** Rows of the feed that are read in one go. */
const BATCH = 256;
/** Wait before a failed try is repeated, in milliseconds. */
export const PROOF_RETRY_MS = 10 * SECOND_MS;

/** Answers of effects after which there may be something to prove, by kind of actor. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  [PAYMENT_KIND]: ['settle', 'lookUp', 'refund'].map((id) => `xstate.done.actor.${id}`),
  [DEBATE_KIND]: ['xstate.done.actor.seal'],
};

/** What follows the feed. */
export interface ProjectorParts {
  readonly engine: ActorEngine;
  readonly log: ProofLog;
  readonly clock: Clock;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/**
 * Writes a proof for what committed rows of payments and debates have brought about. It reads the
 * engine's feed from a position that the log keeps, and the position moves only behind records that
 * are on disk. After a crash some rows are read again; their keys give the records that are there.
 */
export class ProofProjector {
  readonly #parts: ProjectorParts;
  #at: number;
  #end: (() => void) | undefined;
  #cancelRetry: () => void = () => undefined;
  #run: Promise<void> | undefined;
  #isDirty = false;
  /** A try has failed: rows from the position on are still to be read. */
  #isBehind = false;
  #isStopped = false;
  readonly #caughtUp: Promise<void>;
  #hasCaughtUp: () => void = () => undefined;

  constructor(parts: ProjectorParts) {
    this.#parts = parts;
    this.#at = parts.log.position;
    this.#caughtUp = new Promise((resolve) => {
      this.#hasCaughtUp = resolve;
    });
    this.#wake();
  }

  /** Resolves when every row of the start is read; never when it is stopped before. */
  caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  /** Keeps how far it has come; what is done twice without it stays one record. */
  async keepPosition(): Promise<void> {
    const { log } = this.#parts;
    if (this.#at > log.position) await log.keepPosition(this.#at);
  }

  /** Finishes the records that were begun. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end?.();
    this.#cancelRetry();
    await this.#run;
    await this.keepPosition();
  }

  readonly #heard = (entry: JournalEntry): void => {
    if (entry.globalSeq < this.#at) return;
    if (this.#run !== undefined || this.#isBehind) this.#isDirty = true;
    else if (isTelling(entry)) this.#wake();
    // Rows come in order: while nothing is being read, those before it are done.
    else this.#at = entry.globalSeq + 1;
  };

  #wake(): void {
    if (this.#isStopped || this.#run !== undefined) return;
    this.#cancelRetry();
    this.#run = this.#readOn()
      .then(() => this.#follow())
      .catch((thrown: unknown) => this.#retryLater(thrown))
      .finally(() => {
        this.#run = undefined;
        if (this.#isDirty) this.#wake();
      });
  }

  async #readOn(): Promise<void> {
    const { engine, log } = this.#parts;
    while (!this.#isStopped) {
      this.#isDirty = false;
      const rows = await engine.feedRows(this.#at, BATCH);
      const last = rows.at(-1);
      if (last === undefined && !this.#isDirty) return;
      await this.#prove(rows.filter(isTelling));
      if (last !== undefined) this.#at = last.globalSeq + 1;
      if (rows.length === BATCH) await log.keepPosition(this.#at);
    }
  }

  #follow(): void {
    if (this.#isStopped) return;
    this.#isBehind = false;
    this.#hasCaughtUp();
    this.#end ??= this.#parts.engine.feed(this.#at, this.#heard);
  }

  #retryLater(thrown: unknown): void {
    const { clock, notice } = this.#parts;
    this.#isDirty = false;
    this.#isBehind = true;
    notice(`proofs: ${toAppError(thrown).message}`);
    if (this.#isStopped) return;
    this.#cancelRetry = clock.at(clock.now() + PROOF_RETRY_MS, () => this.#wake());
  }

  async #prove(rows: readonly JournalEntry[]): Promise<void> {
    const proofs: NewProof[] = [];
    for (const row of rows) proofs.push(...(await this.#proofsOf(row)));
    await Promise.all(proofs.map((proof) => this.#parts.log.append(proof)));
  }

  async #proofsOf({ id, kind }: JournalEntry): Promise<readonly NewProof[]> {
    const { engine } = this.#parts;
    const view = await viewOf(engine, id);
    if (view === undefined) return [];
    // A copy that an operator forked carries another id than its context.
    if (kind === PAYMENT_KIND) {
      const record = PaymentRecord.parse(view.context);
      return record.paymentId === id ? paymentProofs(record) : [];
    }
    const context = view.context as unknown as DebateContext;
    const { jobId, paymentId } = context.input;
    if (jobId !== id) return [];
    const payment = paymentId === undefined ? undefined : await findPayment(engine, paymentId);
    return debateProofs(context, payment?.record.payer);
  }
}

function isTelling({ kind, event }: JournalEntry): boolean {
  return TELLING[kind]?.includes(event.type) === true;
}

/** Finished actors are removed only behind the projector: one that is gone has its records. */
async function viewOf(engine: ActorEngine, id: string): Promise<View | undefined> {
  try {
    return await engine.view(id);
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return undefined;
    throw thrown;
  }
}
