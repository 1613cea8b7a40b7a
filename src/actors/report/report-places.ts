import { AppError } from '../../domain/common/error.ts';
import type { Orderer } from '../../domain/tool/tool.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import type { ListChange } from '../../runtime/view/look-types.ts';
import { listAll } from '../common/finished.ts';
import { OrderPlaces } from '../job/order-places.ts';
import { REPORT_KIND, viewReport } from './report-view.ts';

/** Reports that run at once, over all buyers. */
export const REPORTS_RUNNING_MAX = 40;
/** Orders of one caller that may wait for their payment: they keep others out meanwhile. */
const WAITING_PER_CALLER_MAX = 8;

/** How many reports run, and the places of those that are being ordered; in memory. */
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

  /** Reads what is there, and follows it from then on. */
  static async open(engine: ActorEngine): Promise<ReportPlaces> {
    const places = new ReportPlaces(engine);
    for (const { id } of await listAll(engine, { kind: REPORT_KIND, status: 'active' })) {
      places.#running.add(id);
    }
    return places;
  }

  /**
   * Takes a place for a report that is being ordered. It becomes the report's own, or lapses once
   * its payment has come to nothing.
   *
   * @returns What gives the place back, of an order that came to nothing.
   * @throws {AppError} `OVERLOADED`, `RATE_LIMITED`
   */
  async reserve(by: Orderer, now: number): Promise<() => void> {
    await this.#reserved.sweep(now);
    if (this.#running.size + this.#reserved.size >= REPORTS_RUNNING_MAX) {
      throw new AppError('OVERLOADED');
    }
    return this.#reserved.take(by.paymentId, { value: by.paymentId, by }, now);
  }

  /** Ends following. */
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

  /** The place of an order ends when its report is there. */
  async #freePlace(jobId: string): Promise<void> {
    try {
      this.#reserved.end((await viewReport(this.#engine, jobId)).context.input.paymentId);
    } catch {
      // It is gone already; its place lapses.
    }
  }
}
