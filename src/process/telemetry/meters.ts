import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** Resolution of the event loop monitor, in milliseconds. It wakes the process this often. */
const RESOLUTION_MS = 50;
/** Period of one reading of the event loop, in milliseconds. */
const WINDOW_MS = 1_000;
const NANOSECONDS_OF_MS = 1_000_000;
const MICROSECONDS_OF_SECOND = 1_000_000;

/** The memory use of the process. */
interface Memory {
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** Measurements of the process. */
export interface Meters {
  /** Returns a monotonic time in milliseconds. */
  now(): number;
  /** Returns the last known values while no file descriptor is available to read new ones. */
  memory(): Memory;
  /** Returns the 99th percentile of the last second, in milliseconds. */
  loopDelayP99Ms(): number;
  cpuSeconds(): number;
  /** When the process started, in milliseconds since 1970. */
  readonly startedAt: number;
  stop(): void;
}

/** Starts to measure this process. */
export function openMeters(): Meters {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let readAt = performance.now();
  let lastP99Ms = 0;
  let memory: Memory = { rssBytes: 0, heapBytes: 0 };
  return {
    now: () => performance.now(),
    memory: () => {
      memory = readMemory() ?? memory;
      return memory;
    },
    loopDelayP99Ms: () => {
      const now = performance.now();
      if (now - readAt < WINDOW_MS / 2) return lastP99Ms;
      // The monitor records the time between two wake-ups, which includes the regular interval.
      const p99Ms = delays.count === 0 ? 0 : delays.percentile(99) / NANOSECONDS_OF_MS;
      lastP99Ms = Math.max(0, p99Ms - RESOLUTION_MS);
      delays.reset();
      readAt = now;
      return lastP99Ms;
    },
    cpuSeconds: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS_OF_SECOND;
    },
    startedAt: performance.timeOrigin,
    stop: () => delays.disable(),
  };
}

function readMemory(): Memory | undefined {
  try {
    const { rss, heapUsed } = process.memoryUsage();
    return { rssBytes: rss, heapBytes: heapUsed };
  } catch {
    return undefined;
  }
}
