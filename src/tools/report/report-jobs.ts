import { ignoreUnknownJob } from '../../actors/job/paid-job.ts';
import { cancelReport } from '../../actors/report/report.ts';
import {
  type ReportReadDeps,
  type ReportView,
  readReport,
} from '../../actors/report/report-view.ts';
import type { JobState, JobStatus, Jobs } from '../../domain/job/job.ts';
import { followJob } from '../job/follow-job.ts';
import { noTurnsError, toJobState } from '../job/job-parts.ts';
import { formatReport } from './report-answer.ts';

/** Returns the job interface of reports. */
export function reportJobs(deps: ReportReadDeps): Jobs {
  return {
    state: (jobId) => readJob(deps, jobId).catch(ignoreUnknownJob),
    watch: (jobId, listener) => {
      const seq = async () => (await readReport(deps.engine, jobId)).seq;
      return followJob(deps.engine, jobId, { seq, read: () => readJob(deps, jobId) }, listener);
    },
    cancel: (jobId) => cancelReport(deps.engine, jobId),
    supply: async (jobId) => {
      await readReport(deps.engine, jobId);
      throw noTurnsError('A report');
    },
  };
}

async function readJob({ engine, blobs }: ReportReadDeps, jobId: string): Promise<JobState> {
  const view = await readReport(engine, jobId);
  return toJobState(view, { status: toJobStatus(view), result: formatReport(view, blobs) });
}

function toJobStatus({ status, value }: ReportView): JobStatus {
  if (status === 'active' || status === 'stuck') return 'working';
  return value === 'aborted' ? 'cancelled' : 'ended';
}
