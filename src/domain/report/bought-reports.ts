import type { AnyReportState } from './state.ts';

/** Reports as whoever holds their capability reads them. */
export interface BoughtReports {
  /** @throws {AppError} `JOB_UNKNOWN` */
  read(jobId: string): Promise<AnyReportState>;
}
