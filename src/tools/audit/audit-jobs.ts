import { cancelAudit } from '../../actors/audit/audit.ts';
import { createAuditState } from '../../actors/audit/audit-state.ts';
import { readAudit } from '../../actors/audit/audit-view.ts';
import type { Services } from '../../actors/common/services.ts';
import { ignoreUnknownJob } from '../../actors/job/paid-job.ts';
import type { AuditState } from '../../domain/audit/state.ts';
import type { JobOutcome, JobState, JobStatus, Jobs } from '../../domain/job/job.ts';
import { followJob } from '../job/follow-job.ts';
import { noTurnsError, toJobState } from '../job/job-parts.ts';
import { formatAudit } from './audit-answer.ts';

type AuditJobDeps = Pick<Services, 'blobs' | 'engine'> & Partial<Pick<Services, 'origins'>>;

/** Returns the job interface of audits. */
export function auditJobs(deps: AuditJobDeps): Jobs {
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

async function readJob(deps: AuditJobDeps, jobId: string): Promise<JobState> {
  const view = await readAudit(deps.engine, jobId);
  const state = createAuditState(view, deps.blobs);
  const result = formatAudit(state, deps.origins?.()[0]);
  return toJobState(view, { status: toJobStatus(state), outcome: toJobOutcome(state), result });
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

function toJobOutcome({ status, outcome }: AuditState): JobOutcome {
  if (status === 'published') return 'delivered';
  return outcome === 'refused' ? 'refused' : 'failed';
}
