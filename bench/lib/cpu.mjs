// Processor time of this process, taken over a number of runs after warming up.

/**
 * Runs `once` again and again.
 *
 * @returns Per run: microseconds of processor time (user and system, all threads) and wall time.
 */
export async function measureRuns(once, { warm, runs }) {
  for (let run = 0; run < warm; run += 1) await once();
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let run = 0; run < runs; run += 1) await once();
  const { user, system } = process.cpuUsage(cpu);
  const wallUs = (performance.now() - began) * 1000;
  return { cpuUs: (user + system) / runs, userUs: user / runs, wallUs: wallUs / runs };
}

/** Hands a result to the process that started this one, with the most memory that it has had. */
export function answer(result) {
  const peakMib = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(`${JSON.stringify({ peakMib, ...result })}\n`);
}
