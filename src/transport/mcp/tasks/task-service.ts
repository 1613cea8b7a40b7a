import { AppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import {
  isFinished,
  type JobAnswer,
  type JobQuestion,
  type JobState,
  type Jobs,
} from '../../../domain/job/job.ts';

/** Longest wait for the end of a cancelled job, in milliseconds. */
const CANCEL_WAIT_MS = 10 * SECOND_MS;
/** Longest task id that is accepted, in characters. */
const TASK_ID_CHARS_MAX = 200;
/** How often one question is asked when its answers are invalid. */
const ASK_ATTEMPTS_MAX = 2;

/** Asks the client one question of a job. Resolves with `undefined` if there is no answer. */
export type Asker = (
  ask: JobQuestion,
  fault: string | undefined,
) => Promise<JobAnswer['answer'] | undefined>;

/**
 * The task operations of both versions, independent of their formats. A task is the job of its id.
 */
export class TaskService {
  readonly jobs: Jobs;

  constructor(jobs: Jobs) {
    this.jobs = jobs;
  }

  /**
   * Reads the task that the parameters of a request name.
   *
   * @throws {AppError} `INPUT_INVALID`, `JOB_UNKNOWN`
   */
  async find(params: Readonly<Record<string, unknown>>): Promise<JobState> {
    const { taskId } = params;
    if (typeof taskId !== 'string' || taskId.length > TASK_ID_CHARS_MAX) {
      const message = `\`taskId\` must be a string of at most ${TASK_ID_CHARS_MAX} characters.`;
      throw new AppError('INPUT_INVALID', { message });
    }
    const job = await this.jobs.state(taskId);
    if (job === undefined) throw new AppError('JOB_UNKNOWN', { message: 'No task has this id.' });
    return job;
  }

  /** Cancels a job and waits until it has ended. An ended job does not change. */
  async cancel(job: JobState): Promise<JobState> {
    if (isFinished(job)) return job;
    await this.jobs.cancel(job.jobId);
    return this.waitUntil(job, isFinished, AbortSignal.timeout(CANCEL_WAIT_MS));
  }

  /**
   * Waits until a job ends, and meanwhile sends its questions to the client if possible. Resolves
   * with the last state when the signal aborts.
   */
  async result(job: JobState, signal: AbortSignal, asker?: Asker): Promise<JobState> {
    const asked = new Set<string>();
    return this.waitUntil(
      job,
      (state) => {
        if (asker !== undefined) this.askAll(state, asked, asker);
        return isFinished(state);
      },
      signal,
    );
  }

  private askAll({ jobId, asks }: JobState, asked: Set<string>, asker: Asker): void {
    for (const ask of asks) {
      if (asked.has(ask.askId)) continue;
      asked.add(ask.askId);
      // Without an answer, the job continues at its own deadline.
      this.askOne(jobId, ask, asker).catch(() => undefined);
    }
  }

  private async askOne(jobId: string, ask: JobQuestion, asker: Asker): Promise<void> {
    let fault: string | undefined;
    for (let times = 0; times < ASK_ATTEMPTS_MAX; times += 1) {
      const answer = await asker(ask, fault);
      if (answer === undefined) return;
      try {
        await this.jobs.supply(jobId, [{ askId: ask.askId, answer }]);
        return;
      } catch (thrown) {
        if (!(thrown instanceof AppError)) throw thrown;
        fault = thrown.message;
      }
    }
  }

  private waitUntil(
    job: JobState,
    isEnough: (state: JobState) => boolean,
    signal: AbortSignal,
  ): Promise<JobState> {
    if (isEnough(job) || signal.aborted) return Promise.resolve(job);
    return new Promise((resolve) => {
      let last = job;
      const finish = (): void => {
        unwatch();
        signal.removeEventListener('abort', finish);
        resolve(last);
      };
      const unwatch = this.jobs.watch(job.jobId, (state) => {
        last = state;
        if (isEnough(state)) finish();
      });
      signal.addEventListener('abort', finish, { once: true });
    });
  }
}

/** Returns a key that changes whenever a task's watchers must be notified. */
export function changeKey({ status, asks }: JobState): string {
  return [status, ...asks.map(({ askId }) => askId)].join(' ');
}
