import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { ReportContext } from '../../machines/report/report-context.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { type PaidJob, readPaidJob } from '../job/paid-job.ts';

/** Actor kind of reports. */
export const REPORT_KIND = 'report';

/** A report's view with its typed context. */
export type ReportView = PaidJob<ReportContext>;

/** Dependencies for reading a report. */
export interface ReportReadDeps {
  readonly engine: ActorEngine;
  readonly blobs: Pick<BlobStore, 'get'>;
}

/**
 * Returns the committed state of a report.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export function readReport(engine: ActorEngine, jobId: string): Promise<ReportView> {
  return readPaidJob(engine, jobId, [REPORT_KIND]);
}
