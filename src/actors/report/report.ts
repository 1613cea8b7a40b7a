import type { Clock } from '../../domain/common/clock.ts';
import { type ReportEvent, reportMachine, version } from '../../machines/report/report.ts';
import { define } from '../../runtime/engine/define.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { awaitPaidJob, tellPaidJob, undefinedWhereUnknown } from '../job/paid-job.ts';
import { beginEffect, composeEffect, type ReportDeps, stepEffect } from './report-effects.ts';
import { REPORT_KIND, viewReport } from './report-view.ts';

/** Creates the actor definition of reports, with effects shared by all report kinds. */
export function defineReport(deps: ReportDeps): Definition {
  return define({
    kind: REPORT_KIND,
    version,
    machine: reportMachine,
    effects: {
      begin: beginEffect(deps),
      step: stepEffect(deps),
      compose: composeEffect(deps),
    },
  });
}

/**
 * Cancels a report for its buyer with a full refund. Safe to repeat; has no effect once the answer
 * is being composed.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function cancelReport(engine: ActorEngine, jobId: string): Promise<void> {
  await tellReport(engine, jobId, { type: 'CANCEL' });
}

/**
 * Records that the client has disconnected. The report continues.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachReport(engine: ActorEngine, jobId: string): Promise<void> {
  await tellReport(engine, jobId, { type: 'CLIENT.GONE' });
}

async function tellReport(engine: ActorEngine, jobId: string, event: ReportEvent): Promise<void> {
  await tellPaidJob(engine, await viewReport(engine, jobId), event);
}

/**
 * Waits until the report exists.
 *
 * @throws {AppError} `JOB_UNKNOWN` after 10 seconds.
 */
export async function awaitReport(
  { engine, clock }: { readonly engine: ActorEngine; readonly clock: Clock },
  jobId: string,
): Promise<void> {
  await awaitPaidJob(() => viewReport(engine, jobId).catch(undefinedWhereUnknown), clock);
}
