import type { AnyReportState } from './state.ts';

/** Gives access to reports for holders of their job id. */
export interface BoughtReports {
  /** @throws {AppError} `JOB_UNKNOWN` */
  read(jobId: string): Promise<AnyReportState>;
}
