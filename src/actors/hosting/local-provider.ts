import type { HostingProvider } from '../../domain/ports/hosting.ts';
import { localDeploys } from './local-deploys.ts';
import type { LocalProviderParts } from './local-parts.ts';
import { localServices, mustHave } from './local-services.ts';
import { pageOf, readPage, unknownResource } from './page.ts';

/** What stands behind a region's name. */
const REGIONS = 'Everything runs on this one machine; a region is a label.';

/**
 * Hosting on this machine: services are actors, their processes are the host's. Closing it leaves
 * everything running; the next start takes it up.
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
      query: (query) => logs.query(query),
      labelValues: (query) => logs.labelValues(query),
      tail: (filters, signal) => logs.tail(filters, signal),
    },
    metrics: { series: (query) => metrics.series(query) },
    postgres: databases.postgres,
    keyValue: databases.keyValue,
    close: async () => undefined,
  };
}

function workspaceOf({ workspaces }: LocalProviderParts, id: string) {
  mustHave(workspaces, id);
  const found = workspaces.find((workspace) => workspace.id === id);
  if (found === undefined) throw unknownResource(id);
  return found;
}
