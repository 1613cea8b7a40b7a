import { isOver, type JobState, type Jobs } from '../../../domain/job/job.ts';
import { markOf } from './desk.ts';

/** Most jobs that one session or stream follows. Clients must poll further ones. */
export const FOLLOWED_MAX = 100;

/** Notifies one listener when the status or the questions of its jobs change. */
export class TaskFollower {
  private readonly jobs: Jobs;
  private readonly tell: (job: JobState) => void;
  private readonly endings = new Map<string, () => void>();

  constructor(jobs: Jobs, tell: (job: JobState) => void) {
    this.jobs = jobs;
    this.tell = tell;
  }

  /** The number of followed jobs. */
  get size(): number {
    return this.endings.size;
  }

  /** Follows a job from a state that the listener knows. Ignores ended jobs and repeated calls. */
  follow(job: JobState): void {
    const { jobId } = job;
    if (isOver(job) || this.endings.has(jobId) || this.endings.size >= FOLLOWED_MAX) return;
    let mark = markOf(job);
    const end = this.jobs.watch(jobId, (state) => {
      if (isOver(state)) this.leave(jobId);
      if (markOf(state) === mark) return;
      mark = markOf(state);
      this.tell(state);
    });
    this.endings.set(jobId, end);
  }

  /** Stops following all jobs. */
  end(): void {
    for (const jobId of [...this.endings.keys()]) this.leave(jobId);
  }

  private leave(jobId: string): void {
    this.endings.get(jobId)?.();
    this.endings.delete(jobId);
  }
}
