import { undefinedWhereUnknown } from '../../actors/job/paid-job.ts';
import { cancelReport } from '../../actors/report/report.ts';
import {
  type ReportReadDeps,
  type ReportView,
  viewReport,
} from '../../actors/report/report-view.ts';
import type { JobKind, JobState, JobStatus } from '../../domain/job/job.ts';
import { followJob } from '../job/follow-job.ts';
import { jobStateOf, noTurns } from '../job/job-parts.ts';
import { reportAnswer } from './report-answer.ts';

/** Returns the job interface of reports. */
export function reportJobs(deps: ReportReadDeps): JobKind {
  return {
    state: (jobId) => readJob(deps, jobId).catch(undefinedWhereUnknown),
    watch: (jobId, listener) => {
      const seq = async () => (await viewReport(deps.engine, jobId)).seq;
      return followJob(deps.engine, jobId, { seq, read: () => readJob(deps, jobId) }, listener);
    },
    cancel: (jobId) => cancelReport(deps.engine, jobId),
    supply: async (jobId) => {
      await viewReport(deps.engine, jobId);
      throw noTurns('A report');
    },
  };
}

async function readJob({ engine, blobs }: ReportReadDeps, jobId: string): Promise<JobState> {
  const view = await viewReport(engine, jobId);
  return jobStateOf(view, { status: statusOf(view), result: reportAnswer(view, blobs) });
}

function statusOf({ status, value }: ReportView): JobStatus {
  if (status === 'active' || status === 'stuck') return 'working';
  return value === 'aborted' ? 'cancelled' : 'ended';
}
