import { mkdirSync, renameSync, utimesSync } from 'node:fs';
import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { FailureReason } from '../../../domain/hosting/event-types.ts';
import type { PlanLimits } from '../../../domain/hosting/plans.ts';
import type { HostEnd, HostedVersion, ServiceHost } from '../../../domain/hosting/service-host.ts';
import { writeWhole } from '../../sandbox/whole.ts';
import { refuseFullDisk } from './capacity.ts';
import { type GitSource, gitWords } from './git-source.ts';
import { unfetchedImage } from './images/image-build.ts';
import { imageBuildOf, tenantProgramOf } from './images/image-programs.ts';
import { readCommit, releasePlace } from './layout.ts';
import { giveToTenant, type HostParts, limitsOf, programOf } from './programs.ts';
import { removeTree } from './remove-tree.ts';
import { runToEnd } from './run-to-end.ts';
import { missingProgram } from './toolchains.ts';

/** Resource limits and timeouts of builds. */
const BUILD_LIMITS: PlanLimits = { cpu: 2, memoryMib: 2_048 };
const BUILD_MS = 120 * MINUTE_MS;
const PRE_DEPLOY_MS = 30 * MINUTE_MS;

/** Fetches and builds sources, each identified by its release. */
export function openBuilds(
  parts: HostParts & { readonly git: GitSource },
): Pick<ServiceHost, 'fetch' | 'build' | 'preDeploy'> {
  const { layout, git, sandbox, keeper } = parts;
  return {
    fetch: async ({ service, releaseId, commitId }, signal) => {
      const folder = layout.release(service.id, releaseId);
      const known = readCommit(folder);
      if (known !== undefined) return { ok: true, commit: known };
      const runtime = 'runtime' in service.serviceDetails ? service.serviceDetails.runtime : null;
      const missing = runtime === null ? undefined : missingProgram(runtime, sandbox);
      if (missing !== undefined) return { ok: false, reason: { missing } };
      const place = releasePlace(`${folder}.new`);
      try {
        refuseFullDisk(layout.root);
        await removeTree(`${folder}.new`);
        mkdirSync(place.tree, { recursive: true, mode: 0o700 });
        mkdirSync(layout.cache(service.id), { recursive: true, mode: 0o700 });
        const commit = await git.checkout(service, { commitId, folder: place.tree, signal });
        await giveToTenant(parts, service.id, [place.tree, layout.cache(service.id)]);
        writeWhole(place.commit, JSON.stringify(commit));
        await removeTree(folder);
        renameSync(`${folder}.new`, folder);
        return { ok: true, commit };
      } catch (thrown) {
        signal.throwIfAborted();
        return { ok: false, reason: { missing: gitWords(thrown) } };
      }
    },
    build: async (version, { clearCache, signal }) => {
      const { service, releaseId } = version;
      const { serviceDetails: details } = service;
      const name = buildRun(releaseId);
      if (clearCache && keeper.look(name).state === 'none') await emptyCache(parts, service.id);
      const order = { type: 'build', limits: BUILD_LIMITS } as const;
      const bounds = { limitMs: BUILD_MS, what: 'the build', signal };
      if ('buildCommand' in details) {
        const program = programOf(parts, version, { ...order, command: details.buildCommand });
        return built(parts, version, runToEnd(keeper, name, program, bounds));
      }
      const { tree } = releasePlace(layout.release(service.id, releaseId));
      const image = imageBuildOf(parts, version, order);
      if ('missing' in image) return failed(image);
      const end = await built(parts, version, runToEnd(keeper, name, image.order, bounds));
      const unfetched = end.ok ? undefined : unfetchedImage(tree);
      return unfetched === undefined ? end : failed({ missing: unfetched });
    },
    preDeploy: async (version, { deployId, signal }) => {
      const { service } = version;
      if (service.type !== 'web_service') return { ok: true };
      const command = service.serviceDetails.preDeployCommand;
      const order = { type: 'build', command, limits: limitsOf(service) } as const;
      const bounds = { limitMs: PRE_DEPLOY_MS, what: 'the pre-deploy command', signal };
      const program = tenantProgramOf(parts, version, order);
      if ('missing' in program) return failed(program);
      return endOf(await runToEnd(keeper, `pre-${deployId}`, program.order, bounds));
    },
  };
}

/** After a build that took too much disk space, removes its tree and the cache that it filled. */
async function built(
  parts: HostParts,
  { service, releaseId }: HostedVersion,
  run: Promise<FailureReason | null>,
): Promise<HostEnd> {
  const end = endOf(await run);
  if (parts.keeper.evictionOf(buildRun(releaseId)) === undefined) return end;
  await removeTree(parts.layout.release(service.id, releaseId));
  await emptyCache(parts, service.id);
  return end;
}

function buildRun(releaseId: string): string {
  return `build-${releaseId}`;
}

async function emptyCache(parts: HostParts, serviceId: string): Promise<void> {
  const cache = parts.layout.cache(serviceId);
  await removeTree(cache);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  await giveToTenant(parts, serviceId, [cache]);
}

/** Marks a release as used, because the least recently used ones are removed first. */
export function touch(folder: string, now: number): void {
  utimesSync(folder, now / SECOND_MS, now / SECOND_MS);
}

function endOf(reason: FailureReason | null): HostEnd {
  return reason === null ? { ok: true } : failed(reason);
}

function failed(reason: FailureReason): HostEnd {
  return { ok: false, reason };
}
