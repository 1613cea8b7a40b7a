import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** How finely the event loop is watched, in milliseconds: it wakes the process that often. */
const LOOK_EVERY_MS = 50;
/** One reading of the event loop covers this, in milliseconds. */
const WINDOW_MS = 1_000;
const NANOSECONDS_OF_MS = 1_000_000;
const MICROSECONDS_OF_SECOND = 1_000_000;

/** How much memory the process has. */
interface Memory {
  readonly rssBytes: number;
  readonly heapBytes: number;
}

/** What the process says of itself. */
export interface Meters {
  /** Milliseconds that only grow. */
  now(): number;
  /** As it was last, while no file can be opened to read it from. */
  memory(): Memory;
  /** 99th percentile of the last second, in milliseconds. */
  loopDelayP99Ms(): number;
  cpuSeconds(): number;
  /** When the process started, in milliseconds since 1970. */
  readonly startedAt: number;
  stop(): void;
}

/** Begins to measure this process. */
export function openMeters(): Meters {
  const delays = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  delays.enable();
  let readAt = performance.now();
  let kept = 0;
  let memory: Memory = { rssBytes: 0, heapBytes: 0 };
  return {
    now: () => performance.now(),
    memory: () => {
      memory = readMemory() ?? memory;
      return memory;
    },
    loopDelayP99Ms: () => {
      const now = performance.now();
      if (now - readAt < WINDOW_MS / 2) return kept;
      // What is recorded is the distance of two looks, of which one look is as it should be.
      const p99Ms = delays.count === 0 ? 0 : delays.percentile(99) / NANOSECONDS_OF_MS;
      kept = Math.max(0, p99Ms - LOOK_EVERY_MS);
      delays.reset();
      readAt = now;
      return kept;
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
