import type { HostingToolDeps } from '../../tools/hosting/deps.ts';
import type { ApiRoute } from './api-route.ts';
import { deployRoutes } from './deploy-routes.ts';
import { readingRoutes } from './reading-routes.ts';
import { serviceRoutes, workspaceRoutes } from './service-routes.ts';
import { keyValueRoutes, postgresRoutes } from './store-routes.ts';

/** Returns every operation of the API, in document order. */
export function apiRoutes(deps: HostingToolDeps): readonly ApiRoute[] {
  const { provider } = deps;
  return [
    ...workspaceRoutes(provider),
    ...serviceRoutes(provider),
    ...deployRoutes(provider),
    ...readingRoutes(provider),
    ...postgresRoutes(deps),
    ...keyValueRoutes(deps),
  ];
}
