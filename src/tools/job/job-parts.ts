import type { JobWaitOptions } from '../../actors/job/wait-for-job.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { JobOutcome, JobQuestion, JobState, JobStatus } from '../../domain/job/job.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import type { View } from '../../runtime/engine/types.ts';

/** Suggested polling interval. */
const POLL_AFTER_MS = 2 * SECOND_MS;

/** A request about a paid job. */
export interface PaidJobRequest {
  readonly job_id: string;
  readonly wait_s: number;
  readonly cancel: boolean;
  readonly turns?: readonly unknown[] | undefined;
}

/** The parts of a job state that depend on the kind of job. */
interface JobFacts {
  readonly status: JobStatus;
  /** Used only if the job has ended. */
  readonly outcome: JobOutcome;
  readonly result: ToolResult;
  readonly asks?: readonly JobQuestion[];
}

/** Returns the state of a job in the shape of all kinds. The message is the first readable line. */
export function toJobState(
  { id: jobId, createdAt, at: updatedAt }: Pick<View, 'id' | 'createdAt' | 'at'>,
  { status, outcome, result, asks = [] }: JobFacts,
): JobState {
  const [first] = result.content;
  const [message = ''] = first?.type === 'text' ? first.text.split('\n') : [];
  const pollAfterMs = POLL_AFTER_MS;
  const ending = status === 'ended' ? { outcome } : {};
  return { jobId, status, ...ending, message, createdAt, updatedAt, pollAfterMs, asks, result };
}

/** Returns how a call waits for its job: it reports progress and stops with the call. */
export function createJobWait(
  { clock }: { readonly clock: Clock },
  context: ToolContext,
  seconds: number,
): JobWaitOptions {
  const onProgress: JobWaitOptions['onProgress'] = (step) => context.progress(step);
  return { waitMs: seconds * SECOND_MS, clock, signal: context.signal, onProgress };
}

/** Creates the error for turns sent to a job that does not ask for any. */
export function noTurnsError(job: string): AppError {
  return new AppError('AGENT_TURNS_REFUSED', { message: `${job} does not accept turns.` });
}
