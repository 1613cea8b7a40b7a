import type { Worker } from 'node:worker_threads';
import type { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { startThread } from './start-thread.ts';
import type { Parsed } from './upstream-reader.ts';

/** Most concurrent threads. Further ones are rejected. */
export const THREADS_MAX = 4;
/** Memory limit of a thread, in MB. */
export const THREAD_MEMORY_MB = 384;

/** A program to run in its own thread, with its input. */
export interface ThreadTask<T> {
  /** Source of the program. It posts its answer once, or `null` if it has none. */
  readonly program: string;
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
  const worker = startThread({ ...task, memoryMb: THREAD_MEMORY_MB });
  try {
    return await awaitFirstAnswer(worker, clock, task);
  } finally {
    running -= 1;
    await worker.terminate();
  }
}

function awaitFirstAnswer<T>(
  worker: Worker,
  clock: Clock,
  { answer, timeMs }: ThreadTask<T>,
): Promise<Parsed<T>> {
  return new Promise((resolve) => {
    const off = clock.at(clock.now() + timeMs, () => failed('Parsing exceeded the time limit.'));
    const failed = (why: string) => {
      off();
      resolve({ fault: 'upstream_bad_payload', why });
    };
    worker.once('message', (message: unknown) => {
      const { data } = answer.safeParse(message);
      if (data === undefined) return failed('The document cannot be parsed.');
      off();
      resolve({ value: data });
    });
    worker.once('error', () => failed('The document cannot be parsed.'));
    worker.once('exit', () => failed('The document cannot be parsed.'));
  });
}
