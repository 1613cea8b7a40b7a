import { Worker } from 'node:worker_threads';
import { watchThread } from '../../system/thread-crashes.ts';

/** The start parameters of a thread for untrusted input. */
export interface ThreadStart {
  /** Source of the program. */
  readonly program: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly memoryMb: number;
}

/** Starts a thread with a memory limit and without access to this process's environment. */
export function startThread({ program, data, memoryMb }: ThreadStart): Worker {
  const worker = new Worker(program, {
    eval: true,
    workerData: data,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 4 },
  });
  return watchThread('a reader of untrusted text', worker);
}
