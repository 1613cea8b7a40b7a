import type { ServiceHost } from '../../../domain/ports/service-host.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { type HostParts, limitsOf, programOf } from './programs.ts';
import { runToEnd } from './run-to-end.ts';

/** Longest run, in milliseconds; its machine ends it first. */
const RUN_MS = 13 * HOUR_MS;

/** Runs commands of cron jobs, each under the name of its run. */
export function openJobs(parts: HostParts): Pick<ServiceHost, 'run' | 'stopRun'> {
  const { keeper } = parts;
  return {
    run: async (version, { runId, signal }) => {
      const { service } = version;
      const { serviceDetails: details } = service;
      if (!('startCommand' in details)) return { reason: { missing: 'a command' } };
      const order = {
        type: 'app',
        command: details.startCommand,
        limits: limitsOf(service),
        instance: runId,
      } as const;
      const bounds = { limitMs: RUN_MS, what: 'the run', signal };
      const program = programOf(parts, version, order);
      return { reason: await runToEnd(keeper, `run-${runId}`, program, bounds) };
    },
    stopRun: async (runId) => keeper.stop(`run-${runId}`, 0),
  };
}
