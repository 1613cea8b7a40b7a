/** What a piece of work did to the process. */
export interface LoopFigures {
  /** Most processor time between two turns of the event loop, in milliseconds. */
  readonly longestCpuMs: number;
  /** Most memory above that of the begin. */
  readonly grownBytes: number;
}

const LOOK_EVERY_MS = 10;

/** Measures turns of the event loop by processor time: a busy machine makes none of them longer. */
export function startLoopMeter(): { stop(): LoopFigures } {
  const memory = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = memory();
  let [grownBytes, longestCpuMs] = [0, 0];
  let [at, cpu] = [performance.now(), process.cpuUsage()];
  const look = (): void => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    longestCpuMs = Math.max(longestCpuMs, Math.min(now - at, (user + system) / 1_000));
    [at, cpu] = [now, process.cpuUsage()];
    grownBytes = Math.max(grownBytes, memory() - before);
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return { longestCpuMs, grownBytes };
    },
  };
}
