import { Worker } from 'node:worker_threads';
import { offerRunning } from './running.ts';
import { WATCHDOG_PROGRAM } from './watchdog-program.ts';

/** How often the main thread says that it lives, and the watchdog looks, in milliseconds. */
const BEAT_MS = 200;
/** A loop that stands still for this long is told of, in milliseconds. */
export const BLOCKED_MS = 1_000;
/** One that lasts this long is written to standard error before it is over, in milliseconds. */
const SAID_AFTER_MS = 5_000;
/** Processor time of one blocked turn after which the process is ended, in milliseconds. */
export const END_AFTER_CPU_MS = 60_000;
const MEMORY_MB = 32;

/** One time that the event loop was blocked. */
export interface Stall {
  readonly blockedMs: number;
  /** Processor time that the main thread used meanwhile, in milliseconds. */
  readonly cpuMs: number;
  /** What ran, as text for an operator. */
  readonly found: string;
}

/** How the event loop is watched. */
export interface WatchdogOptions {
  /** Told of each stall when it is over. */
  readonly onStall: (stall: Stall) => void;
  /** Told when the watchdog itself has failed; the process goes on without it. */
  readonly onFailed: (cause: unknown) => void;
  /** Where it is written why the process was ended: `{at, why}`. */
  readonly endFile?: string;
  readonly blockedMs?: number;
  readonly endAfterCpuMs?: number;
}

/**
 * Watches the event loop of this process from a thread of its own, which names what blocks it while
 * it is blocked. After {@link END_AFTER_CPU_MS} of processor time in one turn the process is ended,
 * since nothing else could end that turn.
 *
 * @returns The way to stop.
 */
export function watchEventLoop(options: WatchdogOptions): () => Promise<void> {
  offerRunning();
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const { onStall, onFailed, endFile } = options;
  const { blockedMs = BLOCKED_MS, endAfterCpuMs = END_AFTER_CPU_MS } = options;
  const worker = new Worker(WATCHDOG_PROGRAM, {
    eval: true,
    workerData: {
      beats,
      lookEveryMs: BEAT_MS,
      blockedMs,
      endAfterCpuMs,
      endFile,
      saidAfterMs: Math.max(blockedMs, SAID_AFTER_MS),
    },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.unref();
  worker.on('message', onStall);
  worker.on('error', onFailed);
  const beating = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS);
  beating.unref();
  return async () => {
    clearInterval(beating);
    await worker.terminate();
  };
}
