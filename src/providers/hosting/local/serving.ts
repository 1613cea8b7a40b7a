import { existsSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Service } from '../../../domain/hosting/records.ts';
import type { ServiceHost } from '../../../domain/hosting/service-host.ts';
import { markUsed } from './builds.ts';
import { findListeningAddress } from './instances.ts';
import { getReleasePaths, listNewestFirst } from './layout.ts';
import { removeTree } from './remove-tree.ts';
import type { Routing, ServiceRoute } from './routing.ts';
import type { HostParts } from './run/program-order.ts';

/** Builds kept per service for rollbacks. */
export const RELEASES_KEPT = 5;

/** Switches services to new versions and removes old builds. */
export function createServing(
  parts: HostParts & { readonly routing: Routing },
): Pick<ServiceHost, 'cutOver' | 'removeRoutes'> {
  const { layout, runner, routing } = parts;
  return {
    cutOver: async ({ service, releaseId }, instanceIds) => {
      const targets = instanceIds.flatMap((instanceId) => {
        const listening = findListeningAddress(parts, instanceId);
        return listening === undefined ? [] : [{ instanceId, port: listening.port }];
      });
      if (targets.length < instanceIds.length) {
        return { ok: false, reason: { unhealthy: 'an instance exited before the cut-over' } };
      }
      const folder = layout.release(service.id, releaseId);
      const files = findPublishedFolder(service, getReleasePaths(folder).tree);
      if (files === null) return { ok: false, reason: { missing: 'the folder of publishPath' } };
      const route: ServiceRoute = {
        serviceId: service.id,
        slug: service.slug,
        releaseId,
        targets,
        ...(files === undefined ? {} : { files }),
      };
      if (service.type !== 'cron_job') await routing.put(route);
      markUsed(folder, runner.now());
      await removeOldReleases(layout.releases(service.id));
      return { ok: true };
    },
    removeRoutes: (serviceId) => routing.drop(serviceId),
  };
}

/** Returns the published folder of a site, inside its build; `null` if it does not exist. */
function findPublishedFolder(service: Service, tree: string): string | null | undefined {
  if (service.type !== 'static_site') return undefined;
  const wanted = join(tree, service.serviceDetails.publishPath);
  if (!existsSync(wanted)) return null;
  const [root, publishFolder] = [realpathSync(tree), realpathSync(wanted)];
  return publishFolder === root || publishFolder.startsWith(root + sep) ? publishFolder : null;
}

async function removeOldReleases(releases: string): Promise<void> {
  for (const name of listNewestFirst(releases).slice(RELEASES_KEPT)) {
    await removeTree(join(releases, name));
  }
}
