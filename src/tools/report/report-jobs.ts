import type { Services } from '../../actors/common/services.ts';
import { ignoreUnknownJob } from '../../actors/job/paid-job.ts';
import { cancelReport } from '../../actors/report/report.ts';
import { type ReportView, readReport } from '../../actors/report/report-view.ts';
import type { JobState, JobStatus, Jobs } from '../../domain/job/job.ts';
import { followJob } from '../job/follow-job.ts';
import { noTurnsError, toJobState } from '../job/job-parts.ts';
import { formatReport } from './report-answer.ts';

type ReportJobDeps = Pick<Services, 'blobs' | 'engine'> & Partial<Pick<Services, 'origins'>>;

/** Returns the job interface of reports. */
export function reportJobs(deps: ReportJobDeps): Jobs {
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

async function readJob(
  { engine, blobs, origins }: ReportJobDeps,
  jobId: string,
): Promise<JobState> {
  const view = await readReport(engine, jobId);
  const outcome = view.value === 'published' ? 'delivered' : 'failed';
  const result = formatReport(view, blobs, origins?.()[0]);
  return toJobState(view, { status: toJobStatus(view), outcome, result });
}

function toJobStatus({ status, value }: ReportView): JobStatus {
  if (status === 'active' || status === 'stuck') return 'working';
  return value === 'aborted' ? 'cancelled' : 'ended';
}
