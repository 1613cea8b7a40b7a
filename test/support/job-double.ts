import type { JobState, Jobs } from '../../src/domain/job/job.ts';

/** Jobs that a test moves by hand. */
export interface JobDouble extends Jobs {
  /** Puts a job into a state; those who watch it hear of it. */
  put(jobId: string, change?: Partial<JobState>): JobState;
  /** How many listeners there are now. */
  readonly watched: () => number;
}

/** Makes jobs without anything behind them. */
export function jobDouble(): JobDouble {
  const states = new Map<string, JobState>();
  const listeners = new Map<string, Set<(state: JobState) => void>>();
  const of = (jobId: string) => {
    const found = listeners.get(jobId) ?? new Set();
    listeners.set(jobId, found);
    return found;
  };
  const put = (jobId: string, change: Partial<JobState> = {}): JobState => {
    const state = { ...FRESH, ...states.get(jobId), jobId, ...change };
    states.set(jobId, state);
    for (const listener of [...of(jobId)]) listener(state);
    return state;
  };
  return {
    put,
    watched: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
    state: async (jobId) => states.get(jobId),
    watch: (jobId, listener) => {
      of(jobId).add(listener);
      const state = states.get(jobId);
      if (state !== undefined) listener(state);
      return () => of(jobId).delete(listener);
    },
    cancel: async (jobId) => void put(jobId, { status: 'cancelled' }),
    supply: async (jobId) => void put(jobId, { status: 'working', asks: [] }),
  };
}

const FRESH: JobState = {
  jobId: '',
  status: 'working',
  message: 'Working.',
  createdAt: 1_000,
  updatedAt: 2_000,
  pollAfterMs: 2_000,
  asks: [],
  result: { content: [{ type: 'text', text: 'so far' }] },
};
