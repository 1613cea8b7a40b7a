import { isFinished, type JobState, type Jobs } from '../../../domain/job/job.ts';
import { changeKey } from './task-service.ts';

/** Most jobs that one session or stream follows. Clients must poll further ones. */
export const FOLLOWED_MAX = 100;

/** Notifies one listener when the status or the questions of its jobs change. */
export class TaskFollower {
  private readonly jobs: Jobs;
  private readonly notify: (job: JobState) => void;
  private readonly unwatchers = new Map<string, () => void>();

  constructor(jobs: Jobs, tell: (job: JobState) => void) {
    this.jobs = jobs;
    this.notify = tell;
  }

  /** The number of followed jobs. */
  get size(): number {
    return this.unwatchers.size;
  }

  /** Follows a job from a state that the listener knows. Ignores ended jobs and repeated calls. */
  follow(job: JobState): void {
    const { jobId } = job;
    if (isFinished(job) || this.unwatchers.has(jobId) || this.unwatchers.size >= FOLLOWED_MAX)
      return;
    let lastKey = changeKey(job);
    const unwatch = this.jobs.watch(jobId, (state) => {
      if (isFinished(state)) this.unfollow(jobId);
      if (changeKey(state) === lastKey) return;
      lastKey = changeKey(state);
      this.notify(state);
    });
    this.unwatchers.set(jobId, unwatch);
  }

  /** Stops following all jobs. */
  stop(): void {
    for (const jobId of [...this.unwatchers.keys()]) this.unfollow(jobId);
  }

  private unfollow(jobId: string): void {
    this.unwatchers.get(jobId)?.();
    this.unwatchers.delete(jobId);
  }
}
