import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { AppError } from '../../domain/common/error.ts';
import type { JobBuyer } from '../../domain/tool/tool.ts';
import {
  type ArbitrationContext,
  readArbitration,
} from '../../machines/panel/arbitration-prelude.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { dropOldestEnded, KindWatcher } from '../common/kind-watcher.ts';
import { ignoreUnknownJob } from '../job/paid-job.ts';
import { PendingOrders } from '../job/pending-orders.ts';
import { readPanelJob } from '../panel/panel-view.ts';

/** Maximum number of indexed board jobs; the oldest finished ones are dropped first. */
export const INDEXED_CASES_MAX = 20_000;
/** Maximum number of open arbitrations. */
export const CASES_OPEN_MAX = 1_000;
/** Maximum number of unpaid orders per caller, because they block slots for others. */
const UNPAID_PER_CALLER_MAX = 20;
const PANELS = [arbitrationPanel];

interface CaseRow {
  readonly jobId: string;
  readonly createdAt: number;
  readonly isOver: boolean;
}

/** An arbitration with its typed context. */
export interface ArbitrationActorState {
  readonly view: Omit<View, 'context'>;
  readonly context: ArbitrationContext;
}

/**
 * Returns an arbitration.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readCase(engine: ActorEngine, jobId: string): Promise<ArbitrationActorState> {
  const { context, panel: _panel, ...view } = await readPanelJob(engine, jobId, PANELS);
  return { view, context: readArbitration(context) };
}

/** Maps board jobs to their newest arbitration, in memory. */
export class CaseIndex {
  readonly #engine: ActorEngine;
  readonly #rows = new Map<string, CaseRow>();
  readonly #reserved: PendingOrders<null>;
  readonly #watcher: KindWatcher;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#reserved = new PendingOrders({ engine, perPrincipalMax: UNPAID_PER_CALLER_MAX });
    const { kind } = arbitrationPanel;
    this.#watcher = new KindWatcher({ engine, kind, read: (id) => this.#read(id) });
  }

  /** Builds the index and follows later changes. */
  static async start(engine: ActorEngine): Promise<CaseIndex> {
    const index = new CaseIndex(engine);
    await index.#watcher.readAll();
    return index;
  }

  /**
   * Returns the id of the newest arbitration of a board job.
   *
   * @throws {AppError} `DISPUTE_UNKNOWN`
   */
  async find(boardJobId: string): Promise<string> {
    await this.#watcher.waitUntilCurrent();
    const row = this.#rows.get(boardJobId);
    if (row !== undefined) return row.jobId;
    throw new AppError('DISPUTE_UNKNOWN', { data: { received: boardJobId.slice(0, 80) } });
  }

  /**
   * Reserves the only open arbitration of a job. The reservation expires if it is not used.
   *
   * @returns A function that releases the reservation of a failed order.
   * @throws {AppError} `DISPUTE_OPEN`, `OVERLOADED`, `RATE_LIMITED`
   */
  async reserve(boardJobId: string, by: JobBuyer, now: number): Promise<() => void> {
    await this.#reserved.sweep(now);
    await this.#watcher.waitUntilCurrent();
    const isOpen = this.#rows.get(boardJobId)?.isOver === false;
    if (isOpen || this.#reserved.has(boardJobId)) {
      throw new AppError('DISPUTE_OPEN', { data: { received: boardJobId } });
    }
    const open = [...this.#rows.values()].filter(({ isOver }) => !isOver).length;
    if (open + this.#reserved.size >= CASES_OPEN_MAX) throw new AppError('OVERLOADED');
    return this.#reserved.reserve(boardJobId, { value: null, by }, now);
  }

  /** Stops following changes. */
  close(): void {
    this.#watcher.close();
  }

  async #read(jobId: string): Promise<void> {
    const found = await readCase(this.#engine, jobId).catch(ignoreUnknownJob);
    if (found === undefined) return;
    const { createdAt, status } = found.view;
    const { boardJobId } = found.context.case;
    const known = this.#rows.get(boardJobId);
    if (known !== undefined && known.jobId !== jobId && known.createdAt > createdAt) return;
    const isOver = status !== 'active' && status !== 'stuck';
    this.#rows.set(boardJobId, { jobId, createdAt, isOver });
    this.#reserved.remove(boardJobId);
    dropOldestEnded(this.#rows, INDEXED_CASES_MAX);
  }
}
