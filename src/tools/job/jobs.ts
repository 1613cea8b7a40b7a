import { AppError } from '../../domain/common/error.ts';
import type { JobState, Jobs } from '../../domain/job/job.ts';

/** Combines jobs of several kinds: each kind is asked in order until one knows the id. */
export function combineJobs(kinds: readonly Jobs[]): Jobs {
  async function findKind(jobId: string): Promise<Jobs> {
    for (const kind of kinds) {
      if ((await kind.state(jobId)) !== undefined) return kind;
    }
    throw new AppError('JOB_UNKNOWN');
  }

  async function state(jobId: string): Promise<JobState | undefined> {
    for (const kind of kinds) {
      const found = await kind.state(jobId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    state,
    watch: (jobId, listener) => {
      const endings = kinds.map((kind) => kind.watch(jobId, listener));
      return () => {
        for (const end of endings) end();
      };
    },
    cancel: async (jobId) => (await findKind(jobId)).cancel(jobId),
    supply: async (jobId, answers) => (await findKind(jobId)).supply(jobId, answers),
  };
}
