import type { Clock } from '../../../domain/common/clock.ts';
import type { HostingProvider, Paged } from '../../../domain/hosting/hosting.ts';
import type {
  HostedDatabases,
  HostedPage,
  HostedRow,
  HostedService,
  HostingOverview,
} from '../../../domain/inspect/hosting.ts';
import { INPUT_CHARS_MAX } from '../../../tools/hosting/inputs.ts';
import { readWishes } from '../../a2a/ask.ts';
import { logPage } from './log-page.ts';
import { metricPlots } from './metric-plots.ts';
import { databaseOf, noSuchAddress } from './resources.ts';

/** Rows per page of a list. Small, as each service needs a query for its newest deploy. */
export const HOSTED_ROWS = 25;
const WORKSPACES_MAX = 100;
const DATABASES_MAX = 100;

/** The dependencies of the console's hosting reads. */
export interface HostingReads {
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
export async function hostingAnswer(
  reads: HostingReads,
  parts: readonly string[],
  query: string,
): Promise<object> {
  const { provider } = reads;
  const [place, id, rest] = parts;
  if (place === undefined) return overview(reads, query);
  if (id === undefined) return listing(reads, place, query);
  if (id.length > INPUT_CHARS_MAX.id || parts.length > 3) throw noSuchAddress(parts);
  if (place === 'databases' && rest === undefined) {
    readWishes(query, []);
    return databaseOf(provider, id);
  }
  if (place !== 'services') throw noSuchAddress(parts);
  return rest === undefined ? serviceOf(provider, id, query) : ofService(provider, id, rest, query);
}

async function overview(
  { provider, mayChange }: HostingReads,
  query: string,
): Promise<HostingOverview> {
  readWishes(query, []);
  const [{ items }, { regions }] = await Promise.all([
    provider.workspaces.list({ limit: WORKSPACES_MAX }),
    provider.abilities(),
  ]);
  const workspaces = items.map(({ item }) => item);
  return { provider: provider.id, regions, mayChange, workspaces };
}

function listing(reads: HostingReads, place: string, query: string): Promise<object> {
  switch (place) {
    case 'services':
      return services(reads.provider, query);
    case 'databases':
      return databases(reads.provider, query);
    case 'logs':
      return logPage(reads, query);
    case 'metrics':
      return metricPlots(reads, query);
    default:
      throw noSuchAddress([place]);
  }
}

async function services(provider: HostingProvider, query: string): Promise<HostedPage<HostedRow>> {
  const { workspace: ownerId = '', cursor } = readWishes(query, ['workspace', 'cursor']);
  const page = await provider.services.list({ ownerId, ...asked(cursor) });
  const { rows, cursor: next } = pageOf(page);
  const withDeploys = rows.map(async (service) => ({
    service,
    deploy: await newestDeploy(provider, service.id),
  }));
  return { rows: await Promise.all(withDeploys), cursor: next };
}

async function databases(provider: HostingProvider, query: string): Promise<HostedDatabases> {
  const { workspace: ownerId = '' } = readWishes(query, ['workspace']);
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

async function serviceOf(
  provider: HostingProvider,
  id: string,
  query: string,
): Promise<HostedService> {
  readWishes(query, []);
  const service = await provider.services.get(id);
  const [deploy, envVarNames] = await Promise.all([
    newestDeploy(provider, id),
    provider.services.envVarNames(id),
  ]);
  return { service, deploy, envVarNames };
}

async function ofService(
  provider: HostingProvider,
  serviceId: string,
  rest: string,
  query: string,
): Promise<HostedPage<object>> {
  const { cursor } = readWishes(query, ['cursor']);
  if (rest === 'deploys') {
    return pageOf(await provider.deploys.list({ serviceId, ...asked(cursor) }));
  }
  if (rest === 'events') {
    return pageOf(await provider.events.list({ serviceId, ...asked(cursor) }));
  }
  throw noSuchAddress(['services', serviceId, rest]);
}

async function newestDeploy(provider: HostingProvider, serviceId: string) {
  const { items } = await provider.deploys.list({ serviceId, limit: 1 });
  return items[0]?.item ?? null;
}

function asked(cursor: string | undefined) {
  return { limit: HOSTED_ROWS, ...(cursor === undefined ? {} : { cursor }) };
}

function pageOf<Item>({ items, hasMore }: Paged<Item>): HostedPage<Item> {
  const cursor = hasMore ? (items.at(-1)?.cursor ?? null) : null;
  return { rows: items.map(({ item }) => item), cursor };
}
