import type { Environment } from '../common/environment.ts';
import type { Op } from './commit-line.ts';
import { decodeListed } from './engine-codec.ts';
import { facetKeys } from './engine-facets.ts';
import type { EngineRows } from './engine-rows.ts';

/** Actors whose facets are written in one commit. */
const BATCH = 1_000;
/** Mark of a store in which every actor stands in the facets; until then, how far they reach. */
const MARK = 'facets';
const DONE = 'done';

/**
 * Writes the facets of a store of format 1, a batch at a time, while the engine works: new rows
 * bring theirs along. An end in between is taken up at the next opening.
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
    this.#isDone = rows.dbs.marks.get(MARK) === DONE;
    // A failed commit shows itself to the engine as well; the next opening goes on.
    this.#ended =
      this.#isDone || o.readOnly ? Promise.resolve() : this.#run().catch(() => undefined);
  }

  /** True when every actor can be found by its facets. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Stops after the batch that is on its way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    let reached = this.#rows.dbs.marks.get(MARK);
    while (!this.#isClosed && reached !== DONE) {
      const batch = this.#batch(reached);
      await this.#environment.commit(batch.ops);
      reached = batch.reached;
    }
    this.#isDone = reached === DONE;
  }

  #batch(reached: string | undefined): { readonly ops: readonly Op[]; readonly reached: string } {
    const { index, facets, marks } = this.#rows.dbs;
    const ops: Op[] = [];
    let last = DONE;
    let actors = 0;
    const range =
      reached === undefined
        ? { limit: BATCH }
        : { start: JSON.parse(reached) as [string, string], exclusiveStart: true, limit: BATCH };
    for (const { key, value } of index.getRange(range)) {
      const [kind, id] = key as [string, string];
      const row = decodeListed({ kind, id }, { seq: 0, at: 0 }, value);
      for (const facet of facetKeys(row)) ops.push({ db: facets, key: [...facet], text: '' });
      actors += 1;
      last = JSON.stringify([kind, id]);
    }
    const next = actors < BATCH ? DONE : last;
    return { ops: [...ops, { db: marks, key: MARK, text: next }], reached: next };
  }
}
