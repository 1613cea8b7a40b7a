import type { Clock } from '../../domain/ports/clock.ts';
import type { Progress } from '../../domain/tool.ts';
import { ReportLine } from './report-progress.ts';
import { type ReportReadDeps, type ReportView, viewReport } from './report-view.ts';

/** How to wait. */
export interface ReportWait {
  /** Milliseconds; 0 answers at once. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Ends the wait, not the report. */
  readonly signal: AbortSignal;
  readonly onProgress?: (step: Progress) => void;
}

/**
 * Waits until a report ends or the time is over, then reads it. Tells its progress at once, and on
 * everything that happens.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function waitForReport(
  { engine }: Pick<ReportReadDeps, 'engine'>,
  jobId: string,
  o: ReportWait,
): Promise<ReportView> {
  const first = await viewReport(engine, jobId);
  if (isWorthAnswering(first) || o.waitMs <= 0 || o.signal.aborted) return first;
  const line = new ReportLine(o);
  line.tell(first);
  await new Promise<void>((resolve) => {
    const endings: (() => void)[] = [];
    const finish = () => {
      for (const end of endings.splice(0)) end();
      resolve();
    };
    const look = () => {
      void viewReport(engine, jobId).then((view) => {
        line.tell(view);
        if (isWorthAnswering(view)) finish();
      }, finish);
    };
    endings.push(
      engine.watch(jobId, first.seq + 1, look),
      engine.watchShown(jobId, ({ text }) => {
        if (typeof text === 'string') line.show(text);
      }),
      o.clock.at(o.clock.now() + o.waitMs, finish),
      () => line.close(),
    );
    o.signal.addEventListener('abort', finish, { once: true });
    endings.push(() => o.signal.removeEventListener('abort', finish));
  });
  return await viewReport(engine, jobId);
}

function isWorthAnswering({ status }: ReportView): boolean {
  return status !== 'active';
}
