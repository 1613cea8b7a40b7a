import { existsSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Service } from '../../../domain/hosting/records.ts';
import type { ServiceHost } from '../../../domain/hosting/service-host.ts';
import { touch } from './builds.ts';
import { findPlace } from './instances.ts';
import { newestFirst, releasePlace } from './layout.ts';
import type { HostParts } from './programs.ts';
import { removeTree } from './remove-tree.ts';
import type { Route, Routing } from './routing.ts';

/** Builds kept per service for rollbacks. */
export const RELEASES_KEPT = 5;

/** Switches services to new versions and removes old builds. */
export function openServing(
  parts: HostParts & { readonly routing: Routing },
): Pick<ServiceHost, 'cutOver' | 'withdraw'> {
  const { layout, keeper, routing } = parts;
  return {
    cutOver: async ({ service, releaseId }, instanceIds) => {
      const targets = instanceIds.flatMap((instanceId) => {
        const place = findPlace(parts, instanceId);
        return place === undefined ? [] : [{ instanceId, port: place.port }];
      });
      if (targets.length < instanceIds.length) {
        return { ok: false, reason: { unhealthy: 'an instance exited before the cut-over' } };
      }
      const folder = layout.release(service.id, releaseId);
      const files = filesOf(service, releasePlace(folder).tree);
      if (files === null) return { ok: false, reason: { missing: 'the folder of publishPath' } };
      const route: Route = {
        ...{ serviceId: service.id, slug: service.slug, releaseId, targets },
        ...(files === undefined ? {} : { files }),
      };
      if (service.type !== 'cron_job') await routing.put(route);
      touch(folder, keeper.now());
      await removeOld(layout.releases(service.id));
      return { ok: true };
    },
    withdraw: (serviceId) => routing.drop(serviceId),
  };
}

/** Returns the published folder of a site, inside its build; `null` if it does not exist. */
function filesOf(service: Service, tree: string): string | null | undefined {
  if (service.type !== 'static_site') return undefined;
  const wanted = join(tree, service.serviceDetails.publishPath);
  if (!existsSync(wanted)) return null;
  const [root, place] = [realpathSync(tree), realpathSync(wanted)];
  return place === root || place.startsWith(root + sep) ? place : null;
}

async function removeOld(releases: string): Promise<void> {
  for (const name of newestFirst(releases).slice(RELEASES_KEPT)) {
    await removeTree(join(releases, name));
  }
}
