import { cancelAudit } from '../../actors/audits/audit.ts';
import { auditStateOf } from '../../actors/audits/audit-state.ts';
import { type AuditReadDeps, viewAudit } from '../../actors/audits/audit-view.ts';
import type { AuditState } from '../../domain/audit/state.ts';
import { AppError } from '../../domain/error.ts';
import type { JobKind, JobState, JobStatus } from '../../domain/job.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { auditAnswer } from './audit-answer.ts';
import { followJob } from './follow-job.ts';

/** When asking again is worth it, where the state does not say. */
const POLL_AFTER_MS = 2 * SECOND_MS;

/** Audits as jobs. */
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
      throw new AppError('AGENT_TURNS_REFUSED', { message: 'An audit asks for no turns.' });
    },
  };
}

async function readJob(deps: AuditReadDeps, jobId: string): Promise<JobState> {
  const view = await viewAudit(deps.engine, jobId);
  const state = auditStateOf(view, deps.blobs);
  const result = auditAnswer(state);
  const [first] = result.content;
  const [message = ''] = first?.type === 'text' ? first.text.split('\n') : [];
  return {
    jobId,
    status: statusOf(state),
    message,
    createdAt: view.createdAt,
    updatedAt: view.at,
    pollAfterMs: state.poll_after_ms ?? POLL_AFTER_MS,
    asks: [],
    result,
  };
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

function undefinedWhereUnknown(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN') return undefined;
  throw thrown;
}
