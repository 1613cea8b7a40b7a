import { SECOND_MS } from '../../../domain/common/time.ts';
import {
  type InstanceEffectInput,
  instanceMachine,
  version,
} from '../../../machines/hosting/instance.ts';
import { define } from '../../../runtime/engine/define.ts';
import type { Definition } from '../../../runtime/engine/types.ts';
import {
  ATTEMPTS,
  KEEP,
  resolveSealedEnv,
  runTimed,
  type ServiceActorDeps,
  WATCH_MS,
} from './effects.ts';

/** Actor kind of instances. */
export const instanceKind = { kind: 'instance', machine: instanceMachine } as const;

/** Creates the actor definition of instances. */
export function defineInstance(parts: ServiceActorDeps): Definition {
  const { host } = parts;
  const bounds = { attempts: ATTEMPTS, timeoutMs: WATCH_MS };
  return define({
    ...instanceKind,
    version,
    effects: {
      start: {
        ...bounds,
        run: (work: InstanceEffectInput, context) =>
          runTimed(context, async () => {
            const found = await resolveSealedEnv(parts, work);
            if ('missing' in found) return { ok: false, reason: found };
            const { service, releaseId, commit } = work;
            const built = { service, releaseId, commitId: commit?.id ?? null, env: found.env };
            return host.start(built, work, context.signal);
          }),
      },
      watch: {
        ...bounds,
        run: async (work: InstanceEffectInput, { signal, now }) => {
          const end = await host.watch(work, signal);
          return { ...end, at: now() };
        },
      },
      stop: {
        ...bounds,
        run: async ({ instanceId, start, service }: InstanceEffectInput) => {
          const { serviceDetails: details } = service;
          const graceMs =
            'maxShutdownDelaySeconds' in details ? details.maxShutdownDelaySeconds * SECOND_MS : 0;
          await host.stop({ instanceId, start, graceMs });
          return null;
        },
      },
    },
    keep: KEEP,
  });
}
