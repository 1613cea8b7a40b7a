import { AppError } from '../../domain/common/error.ts';
import type { Orderer } from '../../domain/tool/tool.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { ListChange } from '../../runtime/view/look-types.ts';
import { listAll } from '../common/finished.ts';
import { OrderPlaces } from '../job/order-places.ts';
import { REPORT_KIND, viewReport } from './report-view.ts';

/** Maximum number of running reports, over all buyers. */
export const REPORTS_RUNNING_MAX = 40;
/** Maximum number of unpaid orders per caller, because they block slots for others. */
const WAITING_PER_CALLER_MAX = 8;

/** Counts running reports and reserves slots for unpaid orders, in memory. */
export class ReportPlaces {
  readonly #engine: ActorEngine;
  readonly #running = new Set<string>();
  readonly #reserved: OrderPlaces<string>;
  readonly #end: () => void;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#reserved = new OrderPlaces({ engine, perPrincipalMax: WAITING_PER_CALLER_MAX });
    this.#end = engine.watchList((change) => this.#heard(change));
  }

  /** Counts the running reports and follows later changes. */
  static async open(engine: ActorEngine): Promise<ReportPlaces> {
    const places = new ReportPlaces(engine);
    for (const { id } of await listAll(engine, { kind: REPORT_KIND, status: 'active' })) {
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
  async reserve(by: Orderer, now: number): Promise<() => void> {
    await this.#reserved.sweep(now);
    if (this.#running.size + this.#reserved.size >= REPORTS_RUNNING_MAX) {
      throw new AppError('OVERLOADED');
    }
    return this.#reserved.take(by.paymentId, { value: by.paymentId, by }, now);
  }

  /** Stops following changes. */
  close(): void {
    this.#end();
  }

  #heard({ before, after }: ListChange): void {
    const row = after ?? before;
    if (row?.kind !== REPORT_KIND) return;
    if (after?.status === 'active') this.#running.add(row.id);
    else this.#running.delete(row.id);
    if (before === undefined) void this.#freePlace(row.id);
  }

  /** Releases the slot of an order once its report exists. */
  async #freePlace(jobId: string): Promise<void> {
    try {
      this.#reserved.end((await viewReport(this.#engine, jobId)).context.input.paymentId);
    } catch {
      // The report is already removed; its slot expires.
    }
  }
}
