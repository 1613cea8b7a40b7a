import type { JobWait } from '../../actors/job/wait-for-job.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { JobAsk, JobState, JobStatus } from '../../domain/job/job.ts';
import type { ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import type { View } from '../../runtime/engine/types.ts';

/** When asking again is worth it. */
const POLL_AFTER_MS = 2 * SECOND_MS;

/** What a buyer may ask of a job that was paid for. */
export interface PaidJobAsk {
  readonly job_id: string;
  readonly wait_s: number;
  readonly cancel: boolean;
  readonly turns?: readonly unknown[] | undefined;
}

/** What only the kind of a job can tell of it. */
interface JobFacts {
  readonly status: JobStatus;
  readonly result: ToolResult;
  readonly asks?: readonly JobAsk[];
}

/** The state of a job, in the one shape of all kinds. Its message is the first line for people. */
export function jobStateOf(
  { id: jobId, createdAt, at: updatedAt }: Pick<View, 'id' | 'createdAt' | 'at'>,
  { status, result, asks = [] }: JobFacts,
): JobState {
  const [first] = result.content;
  const [message = ''] = first?.type === 'text' ? first.text.split('\n') : [];
  const pollAfterMs = POLL_AFTER_MS;
  return { jobId, status, message, createdAt, updatedAt, pollAfterMs, asks, result };
}

/** How a call waits for its job: it hears of the progress, and its end ends the wait. */
export function waitOf(
  { clock }: { readonly clock: Clock },
  context: ToolContext,
  seconds: number,
): JobWait {
  const onProgress: JobWait['onProgress'] = (step) => context.progress(step);
  return { waitMs: seconds * SECOND_MS, clock, signal: context.signal, onProgress };
}

/** The error for turns that are brought to a job that asks for none. */
export function noTurns(job: string): AppError {
  return new AppError('AGENT_TURNS_REFUSED', { message: `${job} asks for no turns.` });
}
