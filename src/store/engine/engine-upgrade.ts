import type { Environment } from '../common/environment.ts';
import type { Op } from './commit-queue.ts';
import { decodeListed } from './engine-codec.ts';
import { facetKeys } from './engine-facets.ts';
import type { EngineRows } from './engine-rows.ts';

/** Actors whose facets are written per commit. */
const BATCH = 1_000;
/** Mark `done` if every actor has facets; until then, the last key processed. */
export const FACETS_MARK = 'facets';
const DONE = 'done';

/**
 * Adds the facets to a store of format 1, batch by batch, while the engine runs; new rows already
 * have them. The next opening resumes an interrupted upgrade.
 */
export class FacetUpgrade {
  readonly #environment: Environment;
  readonly #rows: EngineRows;
  readonly #ended: Promise<void>;
  #isClosed = false;
  #isDone: boolean;

  constructor(environment: Environment, rows: EngineRows, o: { readonly readOnly: boolean }) {
    this.#environment = environment;
    this.#rows = rows;
    this.#isDone = rows.dbs.marks.getWhole(FACETS_MARK) === DONE;
    // The engine notices a failed commit as well; the next opening resumes.
    this.#ended =
      this.#isDone || o.readOnly ? Promise.resolve() : this.#run().catch(() => undefined);
  }

  /** Whether every actor can be found by its facets. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Stops after the current batch. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    let reached = this.#rows.dbs.marks.getWhole(FACETS_MARK);
    while (!this.#isClosed && reached !== DONE) {
      const batch = this.#nextBatch(reached);
      await this.#environment.commit(batch.ops);
      reached = batch.reached;
    }
    this.#isDone = reached === DONE;
  }

  #nextBatch(reached: string | undefined): {
    readonly ops: readonly Op[];
    readonly reached: string;
  } {
    const { index, facets, marks } = this.#rows.dbs;
    const ops: Op[] = [];
    let last = DONE;
    let actors = 0;
    const range =
      reached === undefined
        ? { limit: BATCH }
        : { start: JSON.parse(reached) as [string, string], exclusiveStart: true, limit: BATCH };
    for (const { key, value } of index.getWholeRange(range)) {
      const [kind, id] = key as [string, string];
      const row = decodeListed({ kind, id }, { seq: 0, at: 0 }, value);
      for (const facet of facetKeys(row)) ops.push({ db: facets, key: [...facet], text: '' });
      actors += 1;
      last = JSON.stringify([kind, id]);
    }
    const next = actors < BATCH ? DONE : last;
    return { ops: [...ops, { db: marks, key: FACETS_MARK, text: next }], reached: next };
  }
}
