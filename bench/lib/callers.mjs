// Callers that each wait for their answer before they call again, for a bounded time.
import { percentile } from './stats.mjs';

const SECONDS_MAX = 10;
const WARM_SECONDS = 1;
/** Callers that warm up: many, so that also a single caller then finds compiled code. */
export const WARM_CALLERS = 64;

/**
 * Lets callers call `once(caller, n)` in a loop: `WARM_CALLERS` to warm up, then `callers` for the
 * measure. `onWarm` is called between the two.
 *
 * @returns Calls per second, microseconds of processor time per call, latency in milliseconds.
 */
export async function measureCallers(once, { callers, seconds, onWarm }) {
  await drive(once, { callers: WARM_CALLERS, seconds: WARM_SECONDS });
  onWarm?.();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const latencies = await drive(once, { callers, seconds });
  const { user, system } = process.cpuUsage(cpu);
  const took = (performance.now() - began) / 1000;
  const calls = latencies.length;
  return {
    calls,
    rate: calls / took,
    cpuUs: (user + system) / calls,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

async function drive(once, { callers, seconds }) {
  const until = performance.now() + Math.min(seconds, SECONDS_MAX) * 1000;
  const latencies = [];
  const call = async (_, caller) => {
    for (let n = 0; ; n += 1) {
      const began = performance.now();
      if (began >= until) return;
      await once(caller, n);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return latencies;
}
