import { cancelAudit } from '../../actors/audit/audit.ts';
import { createAuditState } from '../../actors/audit/audit-state.ts';
import { type AuditReadDeps, readAudit } from '../../actors/audit/audit-view.ts';
import { ignoreUnknownJob } from '../../actors/job/paid-job.ts';
import type { AuditState } from '../../domain/audit/state.ts';
import type { JobState, JobStatus, Jobs } from '../../domain/job/job.ts';
import { followJob } from '../job/follow-job.ts';
import { noTurnsError, toJobState } from '../job/job-parts.ts';
import { formatAudit } from './audit-answer.ts';

/** Returns the job interface of audits. */
export function auditJobs(deps: AuditReadDeps): Jobs {
  return {
    state: (jobId) => readJob(deps, jobId).catch(ignoreUnknownJob),
    watch: (jobId, listener) => {
      const seq = async () => (await readAudit(deps.engine, jobId)).seq;
      return followJob(deps.engine, jobId, { seq, read: () => readJob(deps, jobId) }, listener);
    },
    cancel: (jobId) => cancelAudit(deps.engine, jobId),
    supply: async (jobId) => {
      await readAudit(deps.engine, jobId);
      throw noTurnsError('An audit');
    },
  };
}

async function readJob(deps: AuditReadDeps, jobId: string): Promise<JobState> {
  const view = await readAudit(deps.engine, jobId);
  const state = createAuditState(view, deps.blobs);
  return toJobState(view, { status: toJobStatus(state), result: formatAudit(state) });
}

function toJobStatus({ status, outcome }: AuditState): JobStatus {
  switch (status) {
    case 'working':
    case 'stuck':
      return 'working';
    case 'published':
    case 'failed':
      return 'ended';
    case 'aborted':
      return outcome === 'cancelled' ? 'cancelled' : 'ended';
  }
}
