import { HOUR_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { ServiceHost } from '../../../domain/hosting/service-host.ts';
import { createTenantProgram } from './images/image-programs.ts';
import { getPlanLimits, type HostParts } from './programs.ts';
import { runToEnd } from './run-to-end.ts';

/** Timeout of a run, in milliseconds; its state machine ends it earlier. */
const RUN_MS = 13 * HOUR_MS;
/** Time for a run to exit after SIGTERM, in milliseconds. */
const GRACE_MS = 30 * SECOND_MS;

/** Runs commands of cron jobs, each under the name of its run. */
export function createJobs(parts: HostParts): Pick<ServiceHost, 'run' | 'stopRun'> {
  const { keeper: supervisor } = parts;
  return {
    run: async (version, { runId, signal }) => {
      const { service } = version;
      if (service.type !== 'cron_job') return { reason: { missing: 'a command' } };
      const details = service.serviceDetails;
      const order = {
        type: 'app',
        command: 'startCommand' in details ? details.startCommand : details.dockerCommand,
        limits: getPlanLimits(service),
        instance: runId,
      } as const;
      const bounds = { limitMs: RUN_MS, what: 'the run', signal, graceMs: GRACE_MS };
      const program = createTenantProgram(parts, version, order);
      if ('missing' in program) return { reason: program };
      return { reason: await runToEnd(supervisor, `run-${runId}`, program.order, bounds) };
    },
    stopRun: async (runId) => supervisor.stop(`run-${runId}`, GRACE_MS),
  };
}
