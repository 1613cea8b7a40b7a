import { cancelReport } from '../../actors/reports/report.ts';
import {
  type ReportReadDeps,
  type ReportView,
  viewReport,
} from '../../actors/reports/report-view.ts';
import { AppError } from '../../domain/error.ts';
import type { JobKind, JobState, JobStatus } from '../../domain/job.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { followJob } from './follow-job.ts';
import { reportAnswer } from './report-answer.ts';

/** When asking again is worth it. */
const POLL_AFTER_MS = 2 * SECOND_MS;

/** Reports as jobs. */
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
      throw new AppError('AGENT_TURNS_REFUSED', { message: 'A report asks for no turns.' });
    },
  };
}

async function readJob({ engine, blobs }: ReportReadDeps, jobId: string): Promise<JobState> {
  const view = await viewReport(engine, jobId);
  const result = reportAnswer(view, blobs);
  const [first] = result.content;
  const [message = ''] = first?.type === 'text' ? first.text.split('\n') : [];
  return {
    jobId,
    status: statusOf(view),
    message,
    createdAt: view.createdAt,
    updatedAt: view.at,
    pollAfterMs: POLL_AFTER_MS,
    asks: [],
    result,
  };
}

function statusOf({ status, value }: ReportView): JobStatus {
  if (status === 'active' || status === 'stuck') return 'working';
  return value === 'aborted' ? 'cancelled' : 'ended';
}

function undefinedWhereUnknown(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN') return undefined;
  throw thrown;
}
