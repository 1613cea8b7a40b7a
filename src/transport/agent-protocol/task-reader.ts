import type { TaskPayment } from '../../domain/agent-protocol/payment.ts';
import { toTask } from '../../domain/agent-protocol/task.ts';
import type { A2aTask } from '../../domain/agent-protocol/wire.ts';
import { isFinished, type JobState } from '../../domain/job/job.ts';
import type { ServedJobs } from '../../domain/tool/tool.ts';

/** Returns the task of a job with its receipt; `undefined` if there is no such job. */
export async function readPaidTask(
  jobs: ServedJobs | undefined,
  taskId: string,
): Promise<{ readonly task: A2aTask; readonly job: JobState } | undefined> {
  const job = await jobs?.state(taskId);
  if (jobs === undefined || job === undefined) return undefined;
  return { task: toTask(job, await readPayment(jobs, taskId)), job };
}

/** Returns the payment of a job as messages state it. */
export async function readPayment(
  jobs: ServedJobs,
  taskId: string,
): Promise<TaskPayment | undefined> {
  const settlement = await jobs.settlementOf(taskId);
  return settlement === undefined ? undefined : { status: 'completed', settlement };
}

/** Waits until a job ends or asks its buyer, or the signal aborts. */
export function waitForJob(
  jobs: ServedJobs,
  job: JobState,
  signal: AbortSignal,
): Promise<JobState> {
  return new Promise((resolve) => {
    let last = job;
    let unwatch = (): void => undefined;
    const finish = (): void => {
      unwatch();
      signal.removeEventListener('abort', finish);
      resolve(last);
    };
    if (isSettled(job) || signal.aborted) return resolve(job);
    signal.addEventListener('abort', finish, { once: true });
    unwatch = jobs.watch(job.jobId, (state) => {
      last = state;
      if (isSettled(state)) finish();
    });
    return undefined;
  });
}

/** Returns whether a job waits for nothing but its caller. */
export function isSettled(job: JobState): boolean {
  return isFinished(job) || job.status === 'needs_input';
}
