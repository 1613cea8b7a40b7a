import { DAY_MS } from '../../../domain/common/time.ts';
import { deriveId } from '../../../domain/hosting/ids.ts';
import { cronRunMachine, type PrepareOutput, version } from '../../../machines/hosting/cron-run.ts';
import { define } from '../../../runtime/engine/define.ts';
import type { Definition } from '../../../runtime/engine/types.ts';
import { ATTEMPTS, resolveSealedEnv, type ServiceActorDeps } from './effects.ts';

/** Actor kind of cron job runs. */
export const cronRunKind = { kind: 'cron-run', machine: cronRunMachine } as const;

/** Creates the actor definition of cron job runs. */
export function defineCronRun(parts: ServiceActorDeps): Definition {
  const { host, serviceOf } = parts;
  const bounds = { attempts: ATTEMPTS, timeoutMs: DAY_MS };
  return define({
    ...cronRunKind,
    version,
    effects: {
      prepare: {
        run: async ({ serviceId }, { actorId, now }): Promise<PrepareOutput> => {
          const known = { runId: deriveId('cron_run', actorId), at: now() };
          const { live } = await serviceOf(serviceId);
          if (live !== null) return { ok: true, ...known };
          return { ok: false, ...known, reason: { missing: 'a live version' } };
        },
      },
      run: {
        ...bounds,
        run: async ({ serviceId, runId }, { signal, now }) => {
          const { service, live, sealedEnv } = await serviceOf(serviceId);
          const found = await resolveSealedEnv(parts, { service, sealedEnv });
          if ('missing' in found) return { at: now(), reason: found };
          const built = {
            service,
            releaseId: live?.releaseId ?? '',
            commitId: live?.commit?.id ?? null,
            env: found.env,
          };
          const { reason } = await host.run(built, { runId, signal });
          return { at: now(), reason };
        },
      },
      stop: {
        ...bounds,
        run: async ({ runId }, { now }) => {
          await host.stopRun(runId);
          return { at: now() };
        },
      },
    },
  });
}
