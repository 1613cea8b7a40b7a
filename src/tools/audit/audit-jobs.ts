import { cancelAudit } from '../../actors/audit/audit.ts';
import { auditStateOf } from '../../actors/audit/audit-state.ts';
import { type AuditReadDeps, viewAudit } from '../../actors/audit/audit-view.ts';
import { undefinedWhereUnknown } from '../../actors/job/paid-job.ts';
import type { AuditState } from '../../domain/audit/state.ts';
import type { JobKind, JobState, JobStatus } from '../../domain/job/job.ts';
import { followJob } from '../job/follow-job.ts';
import { jobStateOf, noTurns } from '../job/job-parts.ts';
import { auditAnswer } from './audit-answer.ts';

/** Returns the job interface of audits. */
export function auditJobs(deps: AuditReadDeps): JobKind {
  return {
    state: (jobId) => readJob(deps, jobId).catch(undefinedWhereUnknown),
    watch: (jobId, listener) => {
      const seq = async () => (await viewAudit(deps.engine, jobId)).seq;
      return followJob(deps.engine, jobId, { seq, read: () => readJob(deps, jobId) }, listener);
    },
    cancel: (jobId) => cancelAudit(deps.engine, jobId),
    supply: async (jobId) => {
      await viewAudit(deps.engine, jobId);
      throw noTurns('An audit');
    },
  };
}

async function readJob(deps: AuditReadDeps, jobId: string): Promise<JobState> {
  const view = await viewAudit(deps.engine, jobId);
  const state = auditStateOf(view, deps.blobs);
  return jobStateOf(view, { status: statusOf(state), result: auditAnswer(state) });
}

function statusOf({ status, outcome }: AuditState): JobStatus {
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
