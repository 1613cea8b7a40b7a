import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Orderer } from '../../domain/tool/tool.ts';
import type { ArbitrationContext } from '../../machines/panel/arbitration-prelude.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { KindFollower, trimEnded } from '../common/kind-follower.ts';
import { OrderPlaces } from '../job/order-places.ts';
import { undefinedWhereUnknown } from '../job/paid-job.ts';
import { viewPanel } from '../panel/panel-view.ts';

/** Maximum number of indexed board jobs; the oldest finished ones are dropped first. */
export const CASES_LISTED_MAX = 20_000;
/** Maximum number of open arbitrations. */
export const CASES_OPEN_MAX = 1_000;
/** Maximum number of unpaid orders per caller, because they block slots for others. */
const WAITING_PER_CALLER_MAX = 20;
const PANELS = [arbitrationPanel];

interface CaseRow {
  readonly jobId: string;
  readonly createdAt: number;
  readonly isOver: boolean;
}

/** An arbitration with its typed context. */
export interface StandingCase {
  readonly view: Omit<View, 'context'>;
  readonly context: ArbitrationContext;
}

/**
 * Returns an arbitration.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function viewCase(engine: ActorEngine, jobId: string): Promise<StandingCase> {
  const { context, panel: _panel, ...view } = await viewPanel(engine, jobId, PANELS);
  return { view, context: context as ArbitrationContext };
}

/** Maps board jobs to their newest arbitration, in memory. */
export class CaseIndex {
  readonly #engine: ActorEngine;
  readonly #rows = new Map<string, CaseRow>();
  readonly #reserved: OrderPlaces<null>;
  readonly #follower: KindFollower;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#reserved = new OrderPlaces({ engine, perPrincipalMax: WAITING_PER_CALLER_MAX });
    const { kind } = arbitrationPanel;
    this.#follower = new KindFollower({ engine, kind, read: (id) => this.#read(id) });
  }

  /** Builds the index and follows later changes. */
  static async open(engine: ActorEngine): Promise<CaseIndex> {
    const index = new CaseIndex(engine);
    await index.#follower.readAll();
    return index;
  }

  /**
   * Returns the id of the newest arbitration of a board job.
   *
   * @throws {AppError} `DISPUTE_UNKNOWN`
   */
  async find(boardJobId: string): Promise<string> {
    await this.#follower.caughtUp();
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
  async reserve(boardJobId: string, by: Orderer, now: number): Promise<() => void> {
    await this.#reserved.sweep(now);
    await this.#follower.caughtUp();
    const isOpen = this.#rows.get(boardJobId)?.isOver === false;
    if (isOpen || this.#reserved.has(boardJobId)) {
      throw new AppError('DISPUTE_OPEN', { data: { received: boardJobId } });
    }
    const open = [...this.#rows.values()].filter(({ isOver }) => !isOver).length;
    if (open + this.#reserved.size >= CASES_OPEN_MAX) throw new AppError('OVERLOADED');
    return this.#reserved.take(boardJobId, { value: null, by }, now);
  }

  /** Stops following changes. */
  close(): void {
    this.#follower.close();
  }

  async #read(jobId: string): Promise<void> {
    const found = await viewCase(this.#engine, jobId).catch(undefinedWhereUnknown);
    if (found === undefined) return;
    const { createdAt, status } = found.view;
    const { boardJobId } = found.context.case;
    const known = this.#rows.get(boardJobId);
    if (known !== undefined && known.jobId !== jobId && known.createdAt > createdAt) return;
    const isOver = status !== 'active' && status !== 'stuck';
    this.#rows.set(boardJobId, { jobId, createdAt, isOver });
    this.#reserved.end(boardJobId);
    trimEnded(this.#rows, CASES_LISTED_MAX);
  }
}
