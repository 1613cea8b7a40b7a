import type { AnyReportState } from './state.ts';

/** Gives access to reports for holders of their job id. */
export interface ReportReader {
  /** @throws {AppError} `JOB_UNKNOWN` */
  read(jobId: string): Promise<AnyReportState>;
}
