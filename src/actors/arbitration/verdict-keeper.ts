import { AppError } from '../../domain/common/error.ts';
import { decisionOf } from '../../machines/panel/arbitration-prelude.ts';
import type { ActorEngine, ListRow } from '../../runtime/engine/types.ts';
import type { ListChange } from '../../runtime/view/look-types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { listAll } from '../common/finished.ts';
import { JOB_KIND } from '../escrow/kinds.ts';
import { readJob } from '../escrow/read.ts';
import { type CaseIndex, viewCase } from './case-index.ts';

/** The only state in which a job accepts a verdict. */
const TAKES_VERDICTS = 'disputed.waiting';

/** Dependencies of verdict delivery. */
export interface KeeperParts {
  readonly engine: ActorEngine;
  readonly index: CaseIndex;
  /** Receives log lines for the operator. */
  readonly notice: (line: string) => void;
}

/**
 * Redelivers verdicts to jobs that did not accept them, because a party's own move was pending on
 * the chain. When the job waits again, it gets the verdict once more. The job records the call of
 * an accepted verdict, so it takes effect once.
 */
export class VerdictKeeper {
  readonly #parts: KeeperParts;
  readonly #end: () => void;
  readonly #running = new Set<Promise<void>>();

  private constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#end = parts.engine.watchList(({ after }: ListChange) => this.#heard(after));
  }

  /** Follows the jobs and delivers verdicts that were missed before the last stop. */
  static async open(parts: KeeperParts): Promise<VerdictKeeper> {
    const keeper = new VerdictKeeper(parts);
    for (const row of await listAll(parts.engine, { kind: JOB_KIND, limit: 1_000 })) {
      keeper.#heard(row);
    }
    return keeper;
  }

  /** Stops following and waits for pending deliveries. */
  async stop(): Promise<void> {
    this.#end();
    await Promise.all(this.#running);
  }

  #heard(row: ListRow | undefined): void {
    if (row?.kind !== JOB_KIND || row.state !== TAKES_VERDICTS) return;
    const bringing = this.#bring(row.id)
      .catch((thrown: unknown) => this.#parts.notice(`verdict of ${row.id}: ${String(thrown)}`))
      .finally(() => this.#running.delete(bringing));
    this.#running.add(bringing);
  }

  async #bring(boardJobId: string): Promise<void> {
    const { engine, index } = this.#parts;
    const caseId = await index.find(boardJobId).catch(unlessUnknown);
    if (caseId === undefined) return;
    const { view, context } = await viewCase(engine, caseId);
    const decision = view.status === 'done' ? decisionOf(context) : undefined;
    if (decision === undefined) return;
    const job = await readJob(engine, boardJobId);
    const { calls, dispute } = job.context;
    // The verdict does not apply to a later dispute of the same job.
    const isSame = context.case.frozen?.disputedAtS === dispute?.openedAtS;
    if (!isSame || job.state !== TAKES_VERDICTS || calls.includes(decision.event.call)) return;
    const idempotencyKey = `verdict:${caseId}:${job.view.seq}`;
    try {
      await engine.tell(boardJobId, decision.event, { idempotencyKey });
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw thrown;
    }
  }
}

function unlessUnknown(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'DISPUTE_UNKNOWN') return undefined;
  throw thrown;
}
