import type { BlobStore } from '../../domain/common/blob-store.ts';
import { reportMachine } from '../../machines/report/report.ts';
import { isOfKind } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine, ViewOf } from '../../runtime/engine/types.ts';
import { readPaidJob } from '../job/paid-job.ts';

/** Actor kind of reports. */
export const reportKind = { kind: 'report', machine: reportMachine } as const;

/** A report's view with its typed context. */
export type ReportView = ViewOf<typeof reportMachine>;

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
  return readPaidJob(engine, jobId, (view): view is ReportView => isOfKind(reportKind, view));
}
