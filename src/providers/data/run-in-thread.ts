import type { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { ThreadPool, type WorkerProgram } from './thread-pool.ts';
import type { Parsed } from './upstream-reader.ts';

/** Most concurrent threads. Further ones are rejected. */
export const THREADS_MAX = 4;
/** Memory limit of a thread, in MB. */
export const THREAD_MEMORY_MB = 384;

/** A program to run in its own thread, with its input. */
export interface ThreadTask<T> {
  /** It returns `null` if it has no answer. */
  readonly program: WorkerProgram;
  readonly data: Readonly<Record<string, unknown>>;
  /** Validates the answer. */
  readonly answer: z.ZodType<T>;
  /** Milliseconds until it is killed. */
  readonly timeMs: number;
}

let running = 0;

/**
 * Parses large input in a thread without blocking the event loop. Kills the thread at its time
 * limit.
 */
export async function runInThread<T>(clock: Clock, task: ThreadTask<T>): Promise<Parsed<T>> {
  if (running >= THREADS_MAX) {
    return { fault: 'upstream_unavailable', why: 'Too many documents at once. Retry later.' };
  }
  running += 1;
  const { program, data, answer, timeMs } = task;
  const limits = { memoryMb: THREAD_MEMORY_MB, timeMs, threads: 1, queueMax: 0, tasksMax: 1 };
  const pool = new ThreadPool(clock, { program, ...limits });
  const result = await pool.run(data).finally(() => {
    running -= 1;
  });
  const parsed = result.ok ? answer.safeParse(result.answer).data : undefined;
  if (parsed !== undefined) return { value: parsed };
  const isLate = !result.ok && result.why === 'time';
  const why = isLate ? 'Parsing exceeded the time limit.' : 'The document cannot be parsed.';
  return { fault: 'upstream_bad_payload', why };
}
