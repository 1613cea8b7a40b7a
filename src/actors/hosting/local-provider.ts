import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { kindOfId } from '../../domain/hosting/ids.ts';
import { createLocalDeploys } from './local-deploys.ts';
import type { LocalProviderDeps } from './local-provider-deps.ts';
import { assertWorkspace, createLocalServices } from './local-services.ts';
import { invalidInputError, loadPage, selectPage, unknownResourceError } from './page.ts';

/** Maximum number of log lines per page. */
const LINES_MAX = 100;
/** Explanation of regions on this machine. */
const REGIONS_NOTE = 'Everything runs on this machine; a region is only a label.';

/**
 * Creates the hosting provider of this machine. Services are actors; the host runs their processes.
 * Closing the provider leaves everything running, and the next start resumes it.
 */
export function createLocalProvider(parts: LocalProviderDeps): HostingProvider {
  const { host, directory, projector, history, logs, metrics, workspaces, databases } = parts;
  return {
    id: 'local',
    listFeatures: async () => ({
      runtimes: await host.runtimes(),
      ...(await databases.abilities()),
      regions: REGIONS_NOTE,
    }),
    workspaces: {
      list: (page) => {
        const rows = workspaces.map(({ id }, at) => ({ id, createdAt: at }));
        return loadPage(selectPage(rows, page, 'oldest'), async (id) =>
          requireWorkspace(parts, id),
        );
      },
      get: async (id) => requireWorkspace(parts, id),
    },
    services: createLocalServices(parts),
    deploys: createLocalDeploys(parts),
    events: {
      list: async (query) => {
        await directory.service(query.serviceId);
        await projector.waitUntilCurrent();
        return history.list(query);
      },
    },
    logs: {
      query: async (query) => {
        const { limit, resource } = query;
        if (!Number.isInteger(limit) || limit < 1 || limit > LINES_MAX) {
          throw invalidInputError('limit', limit, `a whole number from 1 to ${LINES_MAX}`);
        }
        for (const id of resource) await assertResource(parts, id);
        return logs.query(query);
      },
      labelValues: async (query) => {
        for (const id of query.resource) await assertResource(parts, id);
        return logs.labelValues(query);
      },
      tail: (filters, signal) => logs.tail(filters, signal),
    },
    metrics: {
      series: async (query) => {
        await assertResource(parts, query.resourceId);
        return metrics.series(query);
      },
    },
    postgres: databases.postgres,
    keyValue: databases.keyValue,
    close: async () => undefined,
  };
}

/** @throws {AppError} `RESOURCE_UNKNOWN` */
async function assertResource(
  { directory, databases }: LocalProviderDeps,
  id: string,
): Promise<void> {
  const kind = kindOfId(id);
  if (kind === 'postgres') await databases.postgres.get(id);
  else if (kind === 'key_value') await databases.keyValue.get(id);
  else await directory.service(id);
}

function requireWorkspace({ workspaces }: LocalProviderDeps, id: string) {
  assertWorkspace(workspaces, id);
  const found = workspaces.find((workspace) => workspace.id === id);
  if (found === undefined) throw unknownResourceError(id);
  return found;
}
