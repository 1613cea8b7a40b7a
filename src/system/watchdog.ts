import { Worker } from 'node:worker_threads';
import { findWorker } from './find-worker.ts';
import { exposeRunningWork, RUNNING_SYMBOL } from './running-work.ts';

/** Interval of the main thread's heartbeat and of the watchdog's checks, in milliseconds. */
const BEAT_MS = 200;
/** Stall duration that is reported, in milliseconds. */
export const BLOCKED_MS = 1_000;
/**
 * Stall duration after which it is written to standard error before it is over, in milliseconds.
 */
const SAID_AFTER_MS = 5_000;
/** Processor time of one blocked turn after which the process is killed, in milliseconds. */
export const END_AFTER_CPU_MS = 60_000;
const MEMORY_MB = 32;

/** One blockage of the event loop. */
export interface Stall {
  readonly blockedMs: number;
  /** Processor time that the main thread used during it, in milliseconds. */
  readonly cpuMs: number;
  /** Description of what ran, for an operator. */
  readonly found: string;
}

/** Options of `watchEventLoop`. */
export interface WatchdogOptions {
  /** Called when a stall is over. */
  readonly onStall: (stall: Stall) => void;
  /** Called if the watchdog itself fails; the process continues without it. */
  readonly onFailed: (cause: unknown) => void;
  /** File that records why the process was killed: `{at, why}`. */
  readonly endFile?: string;
  readonly blockedMs?: number;
  readonly endAfterCpuMs?: number;
}

/**
 * Watches the event loop of this process from a separate thread, which reports what blocks it. The
 * process is killed after {@link END_AFTER_CPU_MS} of processor time in one turn, since nothing
 * else could end that turn.
 *
 * @returns A function that stops the watchdog.
 */
export function watchEventLoop(options: WatchdogOptions): () => Promise<void> {
  exposeRunningWork();
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const { onStall, onFailed, endFile } = options;
  const { blockedMs = BLOCKED_MS, endAfterCpuMs = END_AFTER_CPU_MS } = options;
  const worker = new Worker(findWorker('system/watchdog-worker.mjs'), {
    workerData: {
      beats,
      checkIntervalMs: BEAT_MS,
      blockedMs,
      endAfterCpuMs,
      endFile,
      saidAfterMs: Math.max(blockedMs, SAID_AFTER_MS),
      runningSymbol: RUNNING_SYMBOL,
    },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.unref();
  worker.on('message', onStall);
  worker.on('error', onFailed);
  const heartbeat = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS);
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    await worker.terminate();
  };
}
