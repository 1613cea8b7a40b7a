import type { JobState } from '../../domain/job/job.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';

/** Reads a job that is being followed. */
export interface JobReader {
  /** Returns the sequence number of the job; rejects if there is no such job. */
  seq(): Promise<number>;
  read(): Promise<JobState>;
}

/**
 * Reads a job at once and again after its commits; commits during a read are combined into one
 * further read. Ignores ids that name no job.
 *
 * @returns A function that stops following.
 */
export function followJob(
  engine: Pick<ActorEngine, 'watch'>,
  jobId: string,
  job: JobReader,
  listener: (state: JobState) => void,
): () => void {
  let stop: (() => void) | undefined;
  let isStopped = false;
  let isReading = false;
  let isBehind = false;
  const read = async (): Promise<void> => {
    isReading = true;
    while (isBehind && !isStopped) {
      isBehind = false;
      const state = await job.read();
      if (!isStopped) listener(state);
    }
    isReading = false;
  };
  const scheduleRead = (): void => {
    isBehind = true;
    if (!isReading) read().catch(() => (isReading = false));
  };
  job.seq().then(
    (seq) => {
      if (isStopped) return;
      stop = engine.watch(jobId, seq + 1, scheduleRead);
      scheduleRead();
    },
    () => undefined,
  );
  return () => {
    isStopped = true;
    stop?.();
  };
}
