import { isInState, stateName } from '../../runtime/engine/snapshot.ts';
import { isOfKind, typeView } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine, ListChange, ListRow } from '../../runtime/engine/types.ts';
import { listRows } from '../common/actor-lists.ts';
import { findActor } from '../common/find-actor.ts';
import { DeliverableQuota } from './deliverable-quota.ts';
import { jobKind, requestKind } from './kinds.ts';

/** Maximum number of jobs in the listing; older ones can still be read by id. */
export const JOBS_LISTED_MAX = 50_000;

/** What the index knows of a job without reading its actor. */
export interface JobRow {
  readonly jobId: string;
  readonly buyer: string;
  readonly provider: string;
  readonly createdAt: number;
  readonly escrowKey: string | null;
  readonly amount: string;
  readonly state: string;
  readonly isOpen: boolean;
}

interface RequestRow {
  readonly buyer: string;
  readonly isOpen: boolean;
}

/** States in which the escrow contract holds the money. */
const HELD_STATES = ['escrowed', 'fulfilled', 'disputed', 'refunding'] as const;
const CLOSED_STATES = [
  ...['released', 'refunded', 'lapsed', 'unfunded', 'expired_unreleased', 'forgone'],
] as const;
/** Final states after which the chain reports nothing more. */
const FINAL_STATES = ['released', 'refunded', 'lapsed'];

/**
 * Indexes requests and jobs in memory: for limits, for listings, and for the expected escrow
 * balance. It is built from the actors at the start and follows their changes.
 */
export class BoardIndex {
  /** Bytes of deliverables that nobody has paid for. */
  readonly quota = new DeliverableQuota();
  readonly #engine: ActorEngine;
  readonly #requests = new Map<string, RequestRow>();
  /** In order of creation. */
  readonly #jobs = new Map<string, JobRow>();
  readonly #pendingReads = new Set<Promise<void>>();
  readonly #stopWatching: () => void;

  private constructor(engine: ActorEngine) {
    this.#engine = engine;
    this.#stopWatching = engine.watchList((change) => this.#onChange(change));
  }

  /** Builds the index from the stored actors and follows later changes. */
  static async start(engine: ActorEngine): Promise<BoardIndex> {
    const index = new BoardIndex(engine);
    const rows: ListRow[] = [];
    for (const kind of [requestKind.kind, jobKind.kind]) {
      for await (const row of listRows(engine, { kind, limit: 1_000 })) rows.push(row);
    }
    rows.sort((one, other) => one.createdAt - other.createdAt);
    for (const { id } of rows) await index.#read(id);
    return index;
  }

  /** Counts open requests of a buyer, or of all. */
  openRequests(buyer?: string): number {
    return countRows(this.#requests, (row) => row.isOpen && (buyer ?? row.buyer) === row.buyer);
  }

  /** Counts a buyer's unfinished jobs. */
  openJobs(buyer: string): number {
    return countRows(this.#jobs, (row) => row.isOpen && row.buyer === buyer);
  }

  /** Lists jobs whose money is in escrow. */
  fundedJobs(): readonly { readonly escrowKey: string; readonly amount: string }[] {
    const held: { escrowKey: string; amount: string }[] = [];
    for (const { escrowKey, amount, state } of this.#jobs.values()) {
      if (escrowKey !== null && HELD_STATES.some((name) => isInState(state, name))) {
        held.push({ escrowKey, amount });
      }
    }
    return held;
  }

  /** Lists escrowed jobs about which the chain can still report something. */
  escrowedJobs(): readonly JobRow[] {
    const isOver = ({ state }: JobRow) => FINAL_STATES.includes(state);
    return [...this.#jobs.values()].filter((row) => row.escrowKey !== null && !isOver(row));
  }

  /** Lists jobs after a cursor, newest first. */
  jobs(options: { wallet?: string; cursor?: string; limit: number }): {
    readonly rows: readonly JobRow[];
    readonly cursor: string | null;
  } {
    const { wallet, cursor, limit } = options;
    const rows: JobRow[] = [];
    let isBehind = cursor === undefined;
    for (const row of [...this.#jobs.values()].reverse()) {
      const isTheirs = wallet === undefined || [row.buyer, row.provider].includes(wallet);
      if (isBehind && isTheirs) rows.push(row);
      if (row.jobId === cursor) isBehind = true;
      if (rows.length > limit) break;
    }
    const page = rows.slice(0, limit);
    return { rows: page, cursor: rows.length > limit ? (page.at(-1)?.jobId ?? null) : null };
  }

  /** Waits until all earlier commits are indexed. */
  async waitUntilCurrent(): Promise<void> {
    await Promise.all(this.#pendingReads);
  }

  /** Stops following changes. */
  close(): void {
    this.#stopWatching();
  }

  #onChange({ before, after }: ListChange): void {
    if (after === undefined) {
      if (before !== undefined) this.#drop(before.id);
      return;
    }
    const { id, kind, state } = after;
    if (kind === requestKind.kind) {
      const known = this.#requests.get(id);
      if (known === undefined) this.#readLater(id);
      else this.#setRequest(id, { ...known, isOpen: isInState(state, 'listed') });
      return;
    }
    if (kind !== jobKind.kind) return;
    if (state === 'released') this.quota.release(id);
    const known = this.#jobs.get(id);
    if (known === undefined) this.#readLater(id);
    else this.#jobs.set(id, { ...known, state, isOpen: isOpen(state) });
  }

  #readLater(id: string): void {
    const reading = this.#read(id)
      .catch(() => undefined)
      .finally(() => this.#pendingReads.delete(reading));
    this.#pendingReads.add(reading);
  }

  async #read(id: string): Promise<void> {
    const view = await findActor(this.#engine, id);
    if (view === undefined) return;
    const state = stateName(view.value);
    if (isOfKind(requestKind, view)) {
      const { buyer } = view.context;
      this.#setRequest(id, { buyer, isOpen: isInState(state, 'listed') });
      return;
    }
    const { context } = typeView(jobKind, view);
    // Skip copies that an operator forked.
    if (context.jobId !== id) return;
    const { buyer, provider, escrowKey, priceMicroUsd: amount } = context;
    const { createdAt } = view;
    this.quota.update(context, state === 'released');
    this.#jobs.set(id, {
      jobId: id,
      buyer,
      provider,
      createdAt,
      escrowKey,
      amount,
      state,
      isOpen: isOpen(state),
    });
    this.#trim();
  }

  /** Drops closed requests; no query needs them. */
  #setRequest(id: string, row: RequestRow): void {
    if (row.isOpen) this.#requests.set(id, row);
    else this.#requests.delete(id);
  }

  #drop(id: string): void {
    this.#requests.delete(id);
    this.#jobs.delete(id);
    this.quota.release(id);
  }

  #trim(): void {
    if (this.#jobs.size <= JOBS_LISTED_MAX) return;
    for (const [id, row] of this.#jobs) {
      if (row.isOpen) continue;
      this.#jobs.delete(id);
      return;
    }
  }
}

function isOpen(state: string): boolean {
  return !CLOSED_STATES.some((name) => isInState(state, name));
}

function countRows<Row>(rows: ReadonlyMap<string, Row>, fits: (row: Row) => boolean): number {
  let found = 0;
  for (const row of rows.values()) if (fits(row)) found += 1;
  return found;
}
