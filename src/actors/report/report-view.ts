import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { ReportContext } from '../../machines/report/report-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { type PaidJob, viewPaidJob } from '../job/paid-job.ts';

/** The kind of report actors. */
export const REPORT_KIND = 'report';

/** A report's view with its context by name. */
export type ReportView = PaidJob<ReportContext>;

/** What reading a report needs. */
export interface ReportReadDeps {
  readonly engine: ActorEngine;
  readonly blobs: Pick<BlobStore, 'get'>;
}

/**
 * Reads the committed state of a report.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export function viewReport(engine: ActorEngine, jobId: string): Promise<ReportView> {
  return viewPaidJob(engine, jobId, [REPORT_KIND]);
}
