import { isCutOff } from '../../domain/audit/order.ts';
import { AppError } from '../../domain/common/error.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { Orderer } from '../../domain/tool/tool.ts';
import type { AuditContext } from '../../machines/audit/audit-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { KindFollower, trimEnded } from '../common/kind-follower.ts';
import { OrderPlaces } from '../job/order-places.ts';
import { undefinedWhereUnknown } from '../job/paid-job.ts';
import { AUDIT_KIND, viewAudit } from './audit-view.ts';

/** Maximum number of indexed audits; the oldest finished ones are dropped first. */
export const AUDITS_LISTED_MAX = 20_000;
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
const WAITING_PER_CALLER_MAX = 4;

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

type Reserved = Pick<AuditRow, 'auditId' | 'origin' | 'mode' | 'nonce'>;

/**
 * Indexes audits in memory, by public id and for the limits per origin. It is built from the actors
 * at the start and follows their changes.
 */
export class AuditIndex {
  readonly #engine: ActorEngine;
  /** By public id, in order of creation. */
  readonly #rows = new Map<string, AuditRow>();
  readonly #reserved: OrderPlaces<Reserved>;
  readonly #follower: KindFollower;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#reserved = new OrderPlaces({ engine, perPrincipalMax: WAITING_PER_CALLER_MAX });
    this.#follower = new KindFollower({
      engine,
      kind: AUDIT_KIND,
      read: (id) => this.#read(id),
      forget: ({ id }) => this.#forget(id),
    });
  }

  /** Builds the index and follows later changes. */
  static async open(engine: ActorEngine): Promise<AuditIndex> {
    const index = new AuditIndex(engine);
    await index.#follower.readAll();
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
      .filter((row) => (origin === undefined ? row.isPublic : isOf(row, origin)))
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
  async reserve(order: Reserved, by: Orderer, now: number): Promise<() => void> {
    await this.#reserved.sweep(now);
    await this.caughtUp();
    const { origin, mode, nonce } = order;
    const all = [...this.#rows.values()];
    const open = [...this.#reserved.values(), ...all.filter(({ isOver }) => !isOver)];
    if (open.length >= AUDITS_RUNNING_MAX) throw new AppError('OVERLOADED');
    if (open.some((one) => one.origin === origin)) throw limited(origin, 'concurrent audits', 1);
    if (nonce !== undefined && all.some((one) => one.nonce === nonce)) {
      throw new AppError('AUDIT_UNPROVEN', { message: 'The nonce was used for another audit.' });
    }
    const recent = all.filter((row) => row.origin === origin && row.createdAt > now - DAY_MS);
    const passive = recent.filter((row) => row.mode === 'passive');
    if (mode === 'passive' && passive.length >= PASSIVE_PER_DAY_MAX) {
      throw limited(origin, 'passive audits in 24 hours, over all buyers', PASSIVE_PER_DAY_MAX);
    }
    if (recent.filter((row) => row.isCutOff).length >= CUT_OFF_PER_DAY_MAX) {
      throw limited(origin, 'audits in 24 hours that the target cut off', CUT_OFF_PER_DAY_MAX);
    }
    return this.#reserved.take(order.auditId, { value: order, by }, now);
  }

  /** Waits until all earlier commits are indexed. */
  async caughtUp(): Promise<void> {
    await this.#follower.caughtUp();
  }

  /** Stops following changes. */
  close(): void {
    this.#follower.close();
  }

  #forget(jobId: string): void {
    for (const [auditId, row] of this.#rows) {
      if (row.jobId === jobId) this.#rows.delete(auditId);
    }
  }

  async #read(jobId: string): Promise<void> {
    const view = await viewAudit(this.#engine, jobId).catch(undefinedWhereUnknown);
    if (view === undefined) return;
    const { createdAt, status, context } = view;
    const isOver = status !== 'active' && status !== 'stuck';
    this.#rows.set(context.input.auditId, { ...rowOf(context), jobId, createdAt, isOver });
    this.#reserved.end(context.input.auditId);
    trimEnded(this.#rows, AUDITS_LISTED_MAX);
  }
}

function rowOf({ input, signedSha, outcome }: AuditContext) {
  const { auditId, origin, mode, consent } = input;
  const ends = { isPublic: signedSha !== null, isCutOff: isCutOff(outcome) };
  return { auditId, origin, mode, nonce: consent.nonce, ...ends };
}

function isOf({ isPublic, isOver, origin }: AuditRow, wanted: string): boolean {
  return origin === wanted && (isPublic || !isOver);
}

function limited(origin: string, what: string, most: number): AppError {
  return new AppError('RATE_LIMITED', {
    message: `The limit for ${origin} is ${most}: ${what}. You are not charged.`,
    data: { origin, limit: what, most },
  });
}
