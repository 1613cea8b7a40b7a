import { mkdirSync, renameSync, utimesSync } from 'node:fs';
import { MINUTE_MS, SECOND_MS } from '../../../domain/common/time.ts';
import type { PlanLimits } from '../../../domain/hosting/plans.ts';
import type { FailureReason } from '../../../domain/hosting/records.ts';
import type {
  HostedVersion,
  HostOutcome,
  ServiceHost,
} from '../../../domain/hosting/service-host.ts';
import { writeAtomically } from '../../sandbox/write-atomically.ts';
import { assertDiskSpace } from './capacity.ts';
import { type GitSource, gitErrorMessage } from './git-source.ts';
import { findUnfetchedImage } from './images/image-build.ts';
import { createImageBuild, createTenantProgram } from './images/image-programs.ts';
import { getReleasePaths, readCommit } from './layout.ts';
import { removeTree } from './remove-tree.ts';
import {
  createProgramOrder,
  getPlanLimits,
  giveToTenant,
  type HostParts,
} from './run/program-order.ts';
import { findMissingProgram } from './toolchains.ts';

/** Resource limits and timeouts of builds. */
const BUILD_LIMITS: PlanLimits = { cpu: 2, memoryMib: 2_048 };
const BUILD_MS = 120 * MINUTE_MS;
const PRE_DEPLOY_MS = 30 * MINUTE_MS;

/** Fetches and builds sources, each identified by its release. */
export function createBuilds(
  parts: HostParts & { readonly git: GitSource },
): Pick<ServiceHost, 'fetch' | 'build' | 'preDeploy'> {
  const { layout, git, sandbox, runner } = parts;
  return {
    fetch: async ({ service, releaseId, commitId }, signal) => {
      const folder = layout.release(service.id, releaseId);
      const known = readCommit(folder);
      if (known !== undefined) return { ok: true, commit: known };
      const runtime = 'runtime' in service.serviceDetails ? service.serviceDetails.runtime : null;
      const missing = runtime === null ? undefined : findMissingProgram(runtime, sandbox);
      if (missing !== undefined) return { ok: false, reason: { missing } };
      const paths = getReleasePaths(`${folder}.new`);
      try {
        assertDiskSpace(layout.root);
        await removeTree(`${folder}.new`);
        mkdirSync(paths.tree, { recursive: true, mode: 0o700 });
        mkdirSync(layout.cache(service.id), { recursive: true, mode: 0o700 });
        const commit = await git.checkout(service, { commitId, folder: paths.tree, signal });
        await giveToTenant(parts, service.id, [paths.tree, layout.cache(service.id)]);
        writeAtomically(paths.commit, JSON.stringify(commit));
        await removeTree(folder);
        renameSync(`${folder}.new`, folder);
        return { ok: true, commit };
      } catch (thrown) {
        signal.throwIfAborted();
        return { ok: false, reason: { missing: gitErrorMessage(thrown) } };
      }
    },
    build: async (version, { clearCache, signal }) => {
      const { service, releaseId } = version;
      const { serviceDetails: details } = service;
      const name = buildRunName(releaseId);
      if (clearCache && runner.getState(name).state === 'none') await emptyCache(parts, service.id);
      const order = { type: 'build', limits: BUILD_LIMITS } as const;
      const bounds = { limitMs: BUILD_MS, what: 'the build', signal };
      if ('buildCommand' in details) {
        const program = createProgramOrder(parts, version, {
          ...order,
          command: details.buildCommand,
        });
        return finishBuild(parts, version, runner.runToEnd(name, program, bounds));
      }
      const { tree } = getReleasePaths(layout.release(service.id, releaseId));
      const image = createImageBuild(parts, version, order);
      if ('missing' in image) return failedEnd(image);
      const end = await finishBuild(parts, version, runner.runToEnd(name, image.order, bounds));
      const unfetched = end.ok ? undefined : findUnfetchedImage(tree);
      return unfetched === undefined ? end : failedEnd({ missing: unfetched });
    },
    preDeploy: async (version, { deployId, signal }) => {
      const { service } = version;
      if (service.type !== 'web_service') return { ok: true };
      const command = service.serviceDetails.preDeployCommand;
      const order = { type: 'build', command, limits: getPlanLimits(service) } as const;
      const bounds = { limitMs: PRE_DEPLOY_MS, what: 'the pre-deploy command', signal };
      const program = createTenantProgram(parts, version, order);
      if ('missing' in program) return failedEnd(program);
      return toHostEnd(await runner.runToEnd(`pre-${deployId}`, program.order, bounds));
    },
  };
}

/** After a build that took too much disk space, removes its tree and the cache that it filled. */
async function finishBuild(
  parts: HostParts,
  { service, releaseId }: HostedVersion,
  run: Promise<FailureReason | null>,
): Promise<HostOutcome> {
  const end = toHostEnd(await run);
  if (parts.runner.evictionReason(buildRunName(releaseId)) === undefined) return end;
  await removeTree(parts.layout.release(service.id, releaseId));
  await emptyCache(parts, service.id);
  return end;
}

function buildRunName(releaseId: string): string {
  return `build-${releaseId}`;
}

async function emptyCache(parts: HostParts, serviceId: string): Promise<void> {
  const cache = parts.layout.cache(serviceId);
  await removeTree(cache);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  await giveToTenant(parts, serviceId, [cache]);
}

/** Marks a release as used, because the least recently used ones are removed first. */
export function markUsed(folder: string, now: number): void {
  utimesSync(folder, now / SECOND_MS, now / SECOND_MS);
}

function toHostEnd(reason: FailureReason | null): HostOutcome {
  return reason === null ? { ok: true } : failedEnd(reason);
}

function failedEnd(reason: FailureReason): HostOutcome {
  return { ok: false, reason };
}
