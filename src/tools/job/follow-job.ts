import type { JobState } from '../../domain/job/job.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';

/** How a job is read while it is followed. */
export interface FollowedJob {
  /** Where it stands in its journal; rejects where there is no such job. */
  seq(): Promise<number>;
  read(): Promise<JobState>;
}

/**
 * Reads a job at once and again after its commits; those that come during a reading are read
 * together. Says nothing about ids that name no job.
 *
 * @returns What ends it.
 */
export function followJob(
  engine: Pick<ActorEngine, 'watch'>,
  jobId: string,
  job: FollowedJob,
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
      const state = await job.read();
      if (!isEnded) listener(state);
    }
    isReading = false;
  };
  const look = (): void => {
    isBehind = true;
    if (!isReading) read().catch(() => (isReading = false));
  };
  job.seq().then(
    (seq) => {
      if (isEnded) return;
      stop = engine.watch(jobId, seq + 1, look);
      look();
    },
    () => undefined,
  );
  return () => {
    isEnded = true;
    stop?.();
  };
}
