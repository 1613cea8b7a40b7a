import { HOUR_MS } from '../../../domain/common/time.ts';
import type {
  FetchOutcome,
  HostedVersion,
  HostOutcome,
} from '../../../domain/hosting/service-host.ts';
import type {
  DeployEffectInput,
  DeployEffectOutput,
} from '../../../machines/hosting/deploy/context.ts';
import { deployMachine, version } from '../../../machines/hosting/deploy/deploy.ts';
import { define } from '../../../runtime/engine/define.ts';
import type { Definition, Effect } from '../../../runtime/engine/types.ts';
import { ATTEMPTS, resolveSealedEnv, runTimed, type ServiceActorDeps } from './effects.ts';

/** Actor kind of deploys. */
export const deployKind = { kind: 'deploy', machine: deployMachine } as const;

/** Longest attempt in milliseconds; the host has shorter limits of its own. */
const WORK_MS = 4 * HOUR_MS;

/** Creates the actor definition of deploys. */
export function defineDeploy(parts: ServiceActorDeps): Definition {
  const { host } = parts;
  const hostEffect = (
    env: 'with variables' | 'without variables',
    run: (
      version: HostedVersion,
      order: DeployEffectInput,
      signal: AbortSignal,
    ) => Promise<HostOutcome | FetchOutcome>,
  ): Effect<DeployEffectInput, DeployEffectOutput> => ({
    attempts: ATTEMPTS,
    timeoutMs: WORK_MS,
    run: (order, context) =>
      runTimed(context, async () => {
        const found = env === 'with variables' ? await resolveSealedEnv(parts, order) : { env: [] };
        if ('missing' in found) return { ok: false, reason: found };
        const { service, releaseId, source, commit } = order;
        const commitId = source.kind === 'commit' ? source.commitId : (commit?.id ?? null);
        return run({ service, releaseId, commitId, env: found.env }, order, context.signal);
      }),
  });
  return define({
    ...deployKind,
    version,
    effects: {
      fetch: hostEffect('without variables', (built, _order, signal) => host.fetch(built, signal)),
      build: hostEffect('with variables', (built, { clearCache }, signal) =>
        host.build(built, { clearCache, signal }),
      ),
      preDeploy: hostEffect('with variables', (built, { deployId }, signal) =>
        host.preDeploy(built, { deployId, signal }),
      ),
      cutOver: hostEffect('without variables', (built, { instanceIds }) =>
        host.cutOver(built, instanceIds),
      ),
    },
  });
}
