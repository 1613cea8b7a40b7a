import { AppError } from '../../domain/common/error.ts';
import { createDecisionMessage } from '../../machines/panel/arbitration-prelude.ts';
import type { ListChange, ListRow } from '../../runtime/engine/types.ts';
import { listAll } from '../common/actor-lists.ts';
import { isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { tellOnce } from '../common/tell-once.ts';
import { jobKind } from '../escrow/kinds.ts';
import { readJob } from '../escrow/read-actors.ts';
import { type CaseIndex, readCase } from './case-index.ts';

/** The only state in which a job accepts a verdict. */
const VERDICT_STATE = 'disputed.waiting';

type Ports = Pick<Services, 'engine' | 'notice'> & { readonly index: CaseIndex };

/**
 * Redelivers verdicts to jobs that did not accept them, because a party's own move was pending on
 * the chain. When the job waits again, it gets the verdict once more. The job records the call of
 * an accepted verdict, so it takes effect once.
 */
export class VerdictRedelivery {
  readonly #parts: Ports;
  readonly #stopWatching: () => void;
  readonly #pending = new Set<Promise<void>>();

  private constructor(parts: Ports) {
    this.#parts = parts;
    this.#stopWatching = parts.engine.watchList(({ after }: ListChange) => this.#onChange(after));
  }

  /** Follows the jobs and delivers verdicts that were missed before the last stop. */
  static async start(parts: Ports): Promise<VerdictRedelivery> {
    const keeper = new VerdictRedelivery(parts);
    for (const row of await listAll(parts.engine, { kind: jobKind.kind, limit: 1_000 })) {
      keeper.#onChange(row);
    }
    return keeper;
  }

  /** Stops following and waits for pending deliveries. */
  async stop(): Promise<void> {
    this.#stopWatching();
    await Promise.all(this.#pending);
  }

  #onChange(row: ListRow | undefined): void {
    if (row?.kind !== jobKind.kind || row.state !== VERDICT_STATE) return;
    const delivery = this.#deliver(row.id)
      .catch((thrown: unknown) => this.#parts.notice(`verdict of ${row.id}: ${String(thrown)}`))
      .finally(() => this.#pending.delete(delivery));
    this.#pending.add(delivery);
  }

  async #deliver(boardJobId: string): Promise<void> {
    const { engine, index } = this.#parts;
    const caseId = await index.find(boardJobId).catch(ignoreUnknown);
    if (caseId === undefined) return;
    const { view, context } = await readCase(engine, caseId);
    const decision = view.status === 'done' ? createDecisionMessage(context) : undefined;
    if (decision === undefined) return;
    const job = await readJob(engine, boardJobId);
    const { calls, dispute } = job.context;
    // The verdict does not apply to a later dispute of the same job.
    const isSame = context.case.frozen?.disputedAtS === dispute?.openedAtS;
    if (!isSame || job.state !== VERDICT_STATE || calls.includes(decision.event.call)) return;
    const key = `verdict:${caseId}:${job.view.seq}`;
    try {
      await tellOnce(engine, boardJobId, decision.event, key);
    } catch (thrown) {
      if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw thrown;
    }
  }
}

function ignoreUnknown(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'DISPUTE_UNKNOWN') return undefined;
  throw thrown;
}
