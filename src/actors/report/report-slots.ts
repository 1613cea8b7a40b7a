import { AppError } from '../../domain/common/error.ts';
import type { JobBuyer } from '../../domain/tool/tool.ts';
import type { ActorEngine, ListChange } from '../../runtime/engine/types.ts';
import { listAll } from '../common/actor-lists.ts';
import { PendingOrders } from '../job/pending-orders.ts';
import { readReport, reportKind } from './report-view.ts';

/** Maximum number of running reports, over all buyers. */
export const REPORTS_RUNNING_MAX = 40;
/** Maximum number of unpaid orders per caller, because they block slots for others. */
const UNPAID_PER_CALLER_MAX = 8;

/** Counts running reports and reserves slots for unpaid orders, in memory. */
export class ReportSlots {
  readonly #engine: ActorEngine;
  readonly #running = new Set<string>();
  readonly #reserved: PendingOrders<string>;
  readonly #stopWatching: () => void;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#reserved = new PendingOrders({ engine, perPrincipalMax: UNPAID_PER_CALLER_MAX });
    this.#stopWatching = engine.watchList((change) => this.#onChange(change));
  }

  /** Counts the running reports and follows later changes. */
  static async start(engine: ActorEngine): Promise<ReportSlots> {
    const places = new ReportSlots(engine);
    for (const { id } of await listAll(engine, { kind: reportKind.kind, status: 'active' })) {
      places.#running.add(id);
    }
    return places;
  }

  /**
   * Reserves a slot for a report that is being ordered. The report takes it over, or it expires
   * once the payment has failed.
   *
   * @returns A function that releases the slot of a failed order.
   * @throws {AppError} `OVERLOADED`, `RATE_LIMITED`
   */
  async reserve(by: JobBuyer, now: number): Promise<() => void> {
    await this.#reserved.sweep(now);
    if (this.#running.size + this.#reserved.size >= REPORTS_RUNNING_MAX) {
      throw new AppError('OVERLOADED');
    }
    return this.#reserved.reserve(by.paymentId, { value: by.paymentId, by }, now);
  }

  /** Stops following changes. */
  close(): void {
    this.#stopWatching();
  }

  #onChange({ before, after }: ListChange): void {
    const row = after ?? before;
    if (row?.kind !== reportKind.kind) return;
    if (after?.status === 'active') this.#running.add(row.id);
    else this.#running.delete(row.id);
    if (before === undefined) void this.#releaseSlot(row.id);
  }

  /** Releases the slot of an order once its report exists. */
  async #releaseSlot(jobId: string): Promise<void> {
    try {
      this.#reserved.remove((await readReport(this.#engine, jobId)).context.input.paymentId);
    } catch {
      // The report is already removed; its slot expires.
    }
  }
}
