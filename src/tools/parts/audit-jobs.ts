import { cancelAudit } from '../../actors/audits/audit.ts';
import { auditStateOf } from '../../actors/audits/audit-state.ts';
import { type AuditReadDeps, viewAudit } from '../../actors/audits/audit-view.ts';
import type { AuditState } from '../../domain/audit/state.ts';
import { AppError } from '../../domain/error.ts';
import type { JobKind, JobState, JobStatus } from '../../domain/job.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { auditAnswer } from './audit-answer.ts';

/** When asking again is worth it, where the state does not say. */
const POLL_AFTER_MS = 2 * SECOND_MS;

/** Audits as jobs. */
export function auditJobs(deps: AuditReadDeps): JobKind {
  return {
    state: (jobId) => readJob(deps, jobId).catch(undefinedWhereUnknown),
    watch: (jobId, listener) => watch(deps, jobId, listener),
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

/** Reads an audit again after its commits; those that come during a reading are read together. */
function watch(
  deps: AuditReadDeps,
  jobId: string,
  listener: (state: JobState) => void,
): () => void {
  let stop: (() => void) | undefined;
  let isEnded = false;
  let isReading = false;
  let isBehind = false;
  const read = async (): Promise<void> => {
    isReading = true;
    while (isBehind && !isEnded) {
      isBehind = false;
      const state = await readJob(deps, jobId);
      if (!isEnded) listener(state);
    }
    isReading = false;
  };
  const look = (): void => {
    isBehind = true;
    if (!isReading) read().catch(() => (isReading = false));
  };
  // An id that names no audit rejects here, and nothing is ever told about it.
  viewAudit(deps.engine, jobId).then(
    ({ seq }) => {
      if (isEnded) return;
      stop = deps.engine.watch(jobId, seq + 1, look);
      look();
    },
    () => undefined,
  );
  return () => {
    isEnded = true;
    stop?.();
  };
}

function undefinedWhereUnknown(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN') return undefined;
  throw thrown;
}
