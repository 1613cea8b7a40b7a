import type { AuditState } from '../../domain/audit/state.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Progress } from '../../domain/tool.ts';
import { AuditLine } from './audit-progress.ts';
import { auditStateOf } from './audit-state.ts';
import { type AuditReadDeps, type AuditView, viewAudit } from './audit-view.ts';

/** How to wait. */
export interface AuditWait {
  /** Milliseconds; 0 answers at once. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Ends the wait, not the audit. */
  readonly signal: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/**
 * Waits until an audit ends or the time is over, then reads it. Tells its progress at once, and on
 * everything that happens.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForAudit(
  deps: AuditReadDeps,
  jobId: string,
  o: AuditWait,
): Promise<AuditState> {
  const first = await viewAudit(deps.engine, jobId);
  if (isWorthAnswering(first) || o.waitMs <= 0 || o.signal.aborted) {
    return auditStateOf(first, deps.blobs);
  }
  const line = new AuditLine(o);
  line.tell(first);
  await new Promise<void>((resolve) => {
    const endings: (() => void)[] = [];
    const finish = () => {
      for (const end of endings.splice(0)) end();
      resolve();
    };
    const look = () => {
      void viewAudit(deps.engine, jobId).then((view) => {
        line.tell(view);
        if (isWorthAnswering(view)) finish();
      }, finish);
    };
    endings.push(
      deps.engine.watch(jobId, first.seq + 1, look),
      o.clock.at(o.clock.now() + o.waitMs, finish),
      () => line.close(),
    );
    o.signal.addEventListener('abort', finish, { once: true });
    endings.push(() => o.signal.removeEventListener('abort', finish));
  });
  return auditStateOf(await viewAudit(deps.engine, jobId), deps.blobs);
}

function isWorthAnswering({ status }: AuditView): boolean {
  return status !== 'active';
}
