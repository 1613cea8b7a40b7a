import { Worker } from 'node:worker_threads';
import { watchThread } from '../../system/thread-faults.ts';

/** What a thread for what strangers wrote is started with. */
export interface ThreadStart {
  /** Text of the program. */
  readonly program: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly memoryMb: number;
}

/** Starts a thread that is bounded in memory and is given nothing of this process. */
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
