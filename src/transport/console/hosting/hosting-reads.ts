import type { Clock } from '../../../domain/common/clock.ts';
import type { HostingProvider, Paged } from '../../../domain/hosting/hosting.ts';
import { INPUT_CHARS_MAX } from '../../../domain/hosting/input-text.ts';
import type {
  HostedDatabases,
  HostedPage,
  HostedRow,
  HostedService,
  HostingOverview,
} from '../../../domain/inspect/hosting.ts';
import { readOptionalQuery } from '../../a2a/read-request.ts';
import { readLogPage } from './log-page.ts';
import { readMetricPlots } from './metric-plots.ts';
import { getDatabase, unknownPath } from './resources.ts';

/** Rows per page of a list. Small, as each service needs a query for its newest deploy. */
export const HOSTED_ROWS = 25;
const WORKSPACES_MAX = 100;
const DATABASES_MAX = 100;

/** The dependencies of the console's hosting reads. */
export interface HostingReadDeps {
  readonly provider: HostingProvider;
  readonly mayChange: boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Returns the result of a read.
 *
 * @param parts - The decoded segments of the path after `/inspect/hosting/`.
 * @throws {AppError} `RESOURCE_UNKNOWN`, `INPUT_INVALID`, and the errors of the provider.
 */
export async function readHosting(
  reads: HostingReadDeps,
  parts: readonly string[],
  query: string,
): Promise<object> {
  const { provider } = reads;
  const [collection, id, rest] = parts;
  if (collection === undefined) return readOverview(reads, query);
  if (id === undefined) return readList(reads, collection, query);
  if (id.length > INPUT_CHARS_MAX.id || parts.length > 3) throw unknownPath(parts);
  if (collection === 'databases' && rest === undefined) {
    readOptionalQuery(query, []);
    return getDatabase(provider, id);
  }
  if (collection !== 'services') throw unknownPath(parts);
  return rest === undefined
    ? readService(provider, id, query)
    : readServicePart(provider, id, rest, query);
}

async function readOverview(
  { provider, mayChange }: HostingReadDeps,
  query: string,
): Promise<HostingOverview> {
  readOptionalQuery(query, []);
  const [{ items }, { regions }] = await Promise.all([
    provider.workspaces.list({ limit: WORKSPACES_MAX }),
    provider.listFeatures(),
  ]);
  const workspaces = items.map(({ item }) => item);
  return { provider: provider.id, regions, mayChange, workspaces };
}

function readList(reads: HostingReadDeps, place: string, query: string): Promise<object> {
  switch (place) {
    case 'services':
      return listServices(reads.provider, query);
    case 'databases':
      return listDatabases(reads.provider, query);
    case 'logs':
      return readLogPage(reads, query);
    case 'metrics':
      return readMetricPlots(reads, query);
    default:
      throw unknownPath([place]);
  }
}

async function listServices(
  provider: HostingProvider,
  query: string,
): Promise<HostedPage<HostedRow>> {
  const { workspace: ownerId = '', cursor } = readOptionalQuery(query, ['workspace', 'cursor']);
  const page = await provider.services.list({ ownerId, ...pageQuery(cursor) });
  const { rows, cursor: next } = toPage(page);
  const withDeploys = rows.map(async (service) => ({
    service,
    deploy: await newestDeploy(provider, service.id),
  }));
  return { rows: await Promise.all(withDeploys), cursor: next };
}

async function listDatabases(provider: HostingProvider, query: string): Promise<HostedDatabases> {
  const { workspace: ownerId = '' } = readOptionalQuery(query, ['workspace']);
  const [postgres, keyValue] = await Promise.all([
    provider.postgres.list({ ownerId, limit: DATABASES_MAX }),
    provider.keyValue.list({ ownerId, limit: DATABASES_MAX }),
  ]);
  return {
    postgres: postgres.items.map(({ item }) => item),
    keyValue: keyValue.items.map(({ item }) => item),
    hasMore: postgres.hasMore || keyValue.hasMore,
  };
}

async function readService(
  provider: HostingProvider,
  id: string,
  query: string,
): Promise<HostedService> {
  readOptionalQuery(query, []);
  const service = await provider.services.get(id);
  const [deploy, envVarNames] = await Promise.all([
    newestDeploy(provider, id),
    provider.services.envVarNames(id),
  ]);
  return { service, deploy, envVarNames };
}

async function readServicePart(
  provider: HostingProvider,
  serviceId: string,
  rest: string,
  query: string,
): Promise<HostedPage<object>> {
  const { cursor } = readOptionalQuery(query, ['cursor']);
  if (rest === 'deploys') {
    return toPage(await provider.deploys.list({ serviceId, ...pageQuery(cursor) }));
  }
  if (rest === 'events') {
    return toPage(await provider.events.list({ serviceId, ...pageQuery(cursor) }));
  }
  throw unknownPath(['services', serviceId, rest]);
}

async function newestDeploy(provider: HostingProvider, serviceId: string) {
  const { items } = await provider.deploys.list({ serviceId, limit: 1 });
  return items[0]?.item ?? null;
}

function pageQuery(cursor: string | undefined) {
  return { limit: HOSTED_ROWS, ...(cursor === undefined ? {} : { cursor }) };
}

function toPage<Item>({ items, hasMore }: Paged<Item>): HostedPage<Item> {
  const cursor = hasMore ? (items.at(-1)?.cursor ?? null) : null;
  return { rows: items.map(({ item }) => item), cursor };
}
