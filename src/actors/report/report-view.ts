import { reportMachine } from '../../machines/report/report.ts';
import { isOfKind } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine, ViewOf } from '../../runtime/engine/types.ts';
import { readPaidJob } from '../job/paid-job.ts';

/** Actor kind of reports. */
export const reportKind = { kind: 'report', machine: reportMachine } as const;

/** A report's view with its typed context. */
export type ReportView = ViewOf<typeof reportMachine>;

/**
 * Returns the committed state of a report.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export function readReport(engine: ActorEngine, jobId: string): Promise<ReportView> {
  return readPaidJob(engine, jobId, (view): view is ReportView => isOfKind(reportKind, view));
}
