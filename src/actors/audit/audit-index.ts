import { isCutOffByTarget } from '../../domain/audit/order.ts';
import { AppError } from '../../domain/common/error.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { JobBuyer } from '../../domain/tool/tool.ts';
import type { AuditContext } from '../../machines/audit/audit-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { dropOldestEnded, KindWatcher } from '../common/kind-watcher.ts';
import { ignoreUnknownJob } from '../job/paid-job.ts';
import { PendingOrders } from '../job/pending-orders.ts';
import { auditKind, readAudit } from './audit-view.ts';

/** Maximum number of indexed audits; the oldest finished ones are dropped first. */
export const INDEXED_AUDITS_MAX = 20_000;
/** Maximum number of concurrent audits, over all buyers. */
export const AUDITS_RUNNING_MAX = 20;
/**
 * Maximum number of passive audits per origin in 24 hours, over all buyers, because its owner has
 * not consented.
 */
export const PASSIVE_PER_DAY_MAX = 6;
/**
 * Maximum number of audits that an origin cut off in 24 hours, over all buyers, because they are
 * free.
 */
export const CUT_OFF_PER_DAY_MAX = 3;
/** Maximum number of unpaid orders per caller, because they block slots for others. */
const UNPAID_PER_CALLER_MAX = 4;

/** What the index knows of an audit without reading its actor. */
export interface AuditRow {
  readonly jobId: string;
  readonly auditId: string;
  readonly origin: string;
  readonly mode: 'passive' | 'active';
  readonly nonce: string | undefined;
  readonly createdAt: number;
  readonly isOver: boolean;
  /** True once a signed report exists. */
  readonly isPublic: boolean;
  /** True if the target itself ended the audit, which is free. */
  readonly isCutOff: boolean;
}

type AuditReservation = Pick<AuditRow, 'auditId' | 'origin' | 'mode' | 'nonce'>;

/**
 * Indexes audits in memory, by public id and for the limits per origin. It is built from the actors
 * at the start and follows their changes.
 */
export class AuditIndex {
  readonly #engine: ActorEngine;
  /** By public id, in order of creation. */
  readonly #rows = new Map<string, AuditRow>();
  readonly #reserved: PendingOrders<AuditReservation>;
  readonly #watcher: KindWatcher;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#reserved = new PendingOrders({ engine, perPrincipalMax: UNPAID_PER_CALLER_MAX });
    this.#watcher = new KindWatcher({
      engine,
      kind: auditKind.kind,
      read: (id) => this.#read(id),
      remove: ({ id }) => this.#remove(id),
    });
  }

  /** Builds the index and follows later changes. */
  static async start(engine: ActorEngine): Promise<AuditIndex> {
    const index = new AuditIndex(engine);
    await index.#watcher.readAll();
    return index;
  }

  /** Returns the audit with a public id. */
  find(auditId: string): AuditRow | undefined {
    return this.#rows.get(auditId);
  }

  /**
   * Lists audits with a report after a cursor, newest first. For one origin, also includes
   * unfinished audits.
   */
  page(o: { readonly cursor?: string; readonly limit: number; readonly origin?: string }): {
    readonly rows: readonly AuditRow[];
    readonly cursor: string | null;
  } {
    const { cursor, limit, origin } = o;
    const shown = [...this.#rows.values()]
      .filter((row) => (origin === undefined ? row.isPublic : isListedFor(row, origin)))
      .reverse();
    const from = cursor === undefined ? 0 : shown.findIndex((row) => row.auditId === cursor) + 1;
    const rows = shown.slice(from, from + limit);
    const isMore = shown.length > from + limit;
    return { rows, cursor: isMore ? (rows.at(-1)?.auditId ?? null) : null };
  }

  /**
   * Reserves a slot for an audit that is being ordered. The audit takes it over, or it expires once
   * the payment has failed.
   *
   * @returns A function that releases the slot of a failed order.
   * @throws {AppError} `OVERLOADED`, `RATE_LIMITED`, `AUDIT_UNPROVEN` for a nonce of another audit
   */
  async reserve(order: AuditReservation, by: JobBuyer, now: number): Promise<() => void> {
    await this.#reserved.sweep(now);
    await this.waitUntilCurrent();
    const { origin, mode, nonce } = order;
    const all = [...this.#rows.values()];
    const open = [...this.#reserved.values(), ...all.filter(({ isOver }) => !isOver)];
    if (open.length >= AUDITS_RUNNING_MAX) throw new AppError('OVERLOADED');
    if (open.some((one) => one.origin === origin))
      throw rateLimitError(origin, 'concurrent audits', 1);
    if (nonce !== undefined && all.some((one) => one.nonce === nonce)) {
      throw new AppError('AUDIT_UNPROVEN', { message: 'The nonce was used for another audit.' });
    }
    const recent = all.filter((row) => row.origin === origin && row.createdAt > now - DAY_MS);
    const passive = recent.filter((row) => row.mode === 'passive');
    if (mode === 'passive' && passive.length >= PASSIVE_PER_DAY_MAX) {
      throw rateLimitError(
        origin,
        'passive audits in 24 hours, over all buyers',
        PASSIVE_PER_DAY_MAX,
      );
    }
    if (recent.filter((row) => row.isCutOff).length >= CUT_OFF_PER_DAY_MAX) {
      throw rateLimitError(
        origin,
        'audits in 24 hours that the target cut off',
        CUT_OFF_PER_DAY_MAX,
      );
    }
    return this.#reserved.reserve(order.auditId, { value: order, by }, now);
  }

  /** Waits until all earlier commits are indexed. */
  async waitUntilCurrent(): Promise<void> {
    await this.#watcher.waitUntilCurrent();
  }

  /** Stops following changes. */
  close(): void {
    this.#watcher.close();
  }

  #remove(jobId: string): void {
    for (const [auditId, row] of this.#rows) {
      if (row.jobId === jobId) this.#rows.delete(auditId);
    }
  }

  async #read(jobId: string): Promise<void> {
    const view = await readAudit(this.#engine, jobId).catch(ignoreUnknownJob);
    if (view === undefined) return;
    const { createdAt, status, context } = view;
    const isOver = status !== 'active' && status !== 'stuck';
    this.#rows.set(context.input.auditId, { ...createRow(context), jobId, createdAt, isOver });
    this.#reserved.remove(context.input.auditId);
    dropOldestEnded(this.#rows, INDEXED_AUDITS_MAX);
  }
}

function createRow({ input, signedSha, outcome }: AuditContext) {
  const { auditId, origin, mode, consent } = input;
  const ends = { isPublic: signedSha !== null, isCutOff: isCutOffByTarget(outcome) };
  return { auditId, origin, mode, nonce: consent.nonce, ...ends };
}

function isListedFor({ isPublic, isOver, origin }: AuditRow, wanted: string): boolean {
  return origin === wanted && (isPublic || !isOver);
}

function rateLimitError(origin: string, what: string, most: number): AppError {
  return new AppError('RATE_LIMITED', {
    message: `The limit for ${origin} is ${most}: ${what}. You are not charged.`,
    data: { origin, limit: what, most },
  });
}
