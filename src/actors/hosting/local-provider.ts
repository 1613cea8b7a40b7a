import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { kindOfId } from '../../domain/hosting/ids.ts';
import { localDeploys } from './local-deploys.ts';
import type { LocalProviderParts } from './local-parts.ts';
import { localServices, mustHave } from './local-services.ts';
import { invalid, pageOf, readPage, unknownResource } from './page.ts';

/** Maximum number of log lines per page. */
const LINES_MAX = 100;
/** Explanation of regions on this machine. */
const REGIONS = 'Everything runs on this machine; a region is only a label.';

/**
 * Creates the hosting provider of this machine. Services are actors; the host runs their processes.
 * Closing the provider leaves everything running, and the next start resumes it.
 */
export function localProvider(parts: LocalProviderParts): HostingProvider {
  const { host, directory, keeper, history, logs, metrics, workspaces, databases } = parts;
  return {
    id: 'local',
    abilities: async () => ({
      runtimes: await host.runtimes(),
      ...(await databases.abilities()),
      regions: REGIONS,
    }),
    workspaces: {
      list: (page) => {
        const rows = workspaces.map(({ id }, at) => ({ id, createdAt: at }));
        return readPage(pageOf(rows, page, 'oldest'), async (id) => workspaceOf(parts, id));
      },
      get: async (id) => workspaceOf(parts, id),
    },
    services: localServices(parts),
    deploys: localDeploys(parts),
    events: {
      list: async (query) => {
        await directory.service(query.serviceId);
        await keeper.caughtUp();
        return history.list(query);
      },
    },
    logs: {
      query: async (query) => {
        const { limit, resource } = query;
        if (!Number.isInteger(limit) || limit < 1 || limit > LINES_MAX) {
          throw invalid('limit', limit, `a whole number from 1 to ${LINES_MAX}`);
        }
        for (const id of resource) await mustBe(parts, id);
        return logs.query(query);
      },
      labelValues: async (query) => {
        for (const id of query.resource) await mustBe(parts, id);
        return logs.labelValues(query);
      },
      tail: (filters, signal) => logs.tail(filters, signal),
    },
    metrics: {
      series: async (query) => {
        await mustBe(parts, query.resourceId);
        return metrics.series(query);
      },
    },
    postgres: databases.postgres,
    keyValue: databases.keyValue,
    close: async () => undefined,
  };
}

/** @throws {AppError} `RESOURCE_UNKNOWN` */
async function mustBe({ directory, databases }: LocalProviderParts, id: string): Promise<void> {
  const kind = kindOfId(id);
  if (kind === 'postgres') await databases.postgres.get(id);
  else if (kind === 'key_value') await databases.keyValue.get(id);
  else await directory.service(id);
}

function workspaceOf({ workspaces }: LocalProviderParts, id: string) {
  mustHave(workspaces, id);
  const found = workspaces.find((workspace) => workspace.id === id);
  if (found === undefined) throw unknownResource(id);
  return found;
}
