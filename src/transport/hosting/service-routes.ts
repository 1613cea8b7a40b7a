import {
  createPageShape,
  DeployResponse,
  EmptyResponse,
  EnvVarNames,
  HostingFeaturesShape,
  ServiceResponse,
} from '../../domain/hosting/api-shapes.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { ServiceShape, WorkspaceShape } from '../../domain/hosting/shapes.ts';
import {
  EnvVarsInput,
  NewServiceInput,
  OwnedInput,
  PageInput,
  ServicePatchInput,
} from './api-inputs.ts';
import { type ApiRoute, apiRoute } from './api-route.ts';

/** Creates the routes of abilities and workspaces. */
export function workspaceRoutes(provider: HostingProvider): readonly ApiRoute[] {
  const { workspaces } = provider;
  return [
    apiRoute({
      ...{ method: 'GET', path: 'abilities', operation: 'getAbilities', toolset: 'workspaces' },
      ...{ summary: 'Get host abilities', act: 'reads', status: 200, answer: HostingFeaturesShape },
      run: () => provider.listFeatures(),
    }),
    apiRoute({
      ...{ method: 'GET', path: 'workspaces', operation: 'listWorkspaces', act: 'reads' },
      ...{ summary: 'List the workspaces that the token can access', toolset: 'workspaces' },
      ...{ status: 200, query: PageInput, answer: createPageShape(WorkspaceShape) },
      run: async ({ query, reach }) => {
        const own = reach.grant?.workspaceId;
        if (own === undefined) return workspaces.list(query);
        const items = [{ item: await workspaces.get(own), cursor: own }];
        // The token's only workspace: nothing follows its cursor.
        return { items: query.cursor === own ? [] : items, hasMore: false };
      },
    }),
    apiRoute({
      ...{ method: 'GET', path: 'workspaces/{workspaceId}', operation: 'getWorkspace' },
      ...{ summary: 'Get a workspace', toolset: 'workspaces', act: 'reads' },
      ...{ status: 200, answer: WorkspaceShape },
      run: async ({ at, reach }) => {
        reach.requireWorkspace(at('workspaceId'), 'workspaceId');
        return workspaces.get(at('workspaceId'));
      },
    }),
  ];
}

/** Creates the routes that list, create, change and delete services. */
export function serviceRoutes({ services }: HostingProvider): readonly ApiRoute[] {
  const toolset = 'services';
  return [
    apiRoute({
      ...{ method: 'GET', path: 'services', operation: 'listServices', toolset, act: 'reads' },
      ...{ summary: 'List the services of a workspace, oldest first', status: 200 },
      ...{ query: OwnedInput, answer: createPageShape(ServiceShape) },
      run: async ({ query, reach }) => {
        reach.requireWorkspace(query.ownerId);
        return services.list(query);
      },
    }),
    apiRoute({
      ...{ method: 'POST', path: 'services', operation: 'createService', toolset },
      ...{ summary: 'Create a service and start its first deploy', act: 'changes', status: 201 },
      ...{ body: NewServiceInput, hides: ['envVars'], takesKey: true, answer: ServiceResponse },
      run: async ({ body, key, reach }) => {
        reach.requireWorkspace(body.ownerId);
        return services.create(body, key);
      },
    }),
    apiRoute({
      ...{ method: 'GET', path: 'services/{serviceId}', operation: 'getService', toolset },
      ...{ summary: 'Get a service', act: 'reads', status: 200, answer: ServiceShape },
      run: async ({ at, reach }) => {
        await reach.requireService(at('serviceId'));
        return services.get(at('serviceId'));
      },
    }),
    apiRoute({
      ...{ method: 'PATCH', path: 'services/{serviceId}', operation: 'updateService', toolset },
      ...{ summary: 'Change settings; starts a deploy if they require one', act: 'host' },
      ...{ status: 200, body: ServicePatchInput, answer: ServiceResponse },
      run: async ({ at, body, reach }) => {
        await reach.requireService(at('serviceId'));
        return services.update(at('serviceId'), body);
      },
    }),
    apiRoute({
      ...{ method: 'DELETE', path: 'services/{serviceId}', operation: 'removeService', toolset },
      ...{ summary: 'Delete a service and everything that it runs', act: 'host', status: 204 },
      answer: EmptyResponse,
      run: async ({ at, reach }) => {
        await reach.requireService(at('serviceId'));
        await services.remove(at('serviceId'));
      },
    }),
    ...runningRoutes(services),
  ];
}

/** Creates the routes that affect running instances: restarts and environment variables. */
function runningRoutes(services: HostingProvider['services']): readonly ApiRoute[] {
  const toolset = 'services';
  return [
    apiRoute({
      ...{ method: 'POST', path: 'services/{serviceId}/restart', operation: 'restartService' },
      ...{ summary: 'Restart the instances', toolset, act: 'host', status: 204 },
      answer: EmptyResponse,
      run: async ({ at, reach }) => {
        await reach.requireService(at('serviceId'));
        await services.restart(at('serviceId'));
      },
    }),
    apiRoute({
      ...{ method: 'GET', path: 'services/{serviceId}/env-vars', operation: 'listEnvVarNames' },
      ...{ summary: 'List the names of the environment variables, without values', toolset },
      ...{ act: 'reads', status: 200, answer: EnvVarNames },
      run: async ({ at, reach }) => {
        await reach.requireService(at('serviceId'));
        return { names: await services.envVarNames(at('serviceId')) };
      },
    }),
    apiRoute({
      ...{ method: 'PUT', path: 'services/{serviceId}/env-vars', operation: 'replaceEnvVars' },
      ...{ summary: 'Replace all variables and start a deploy', toolset, act: 'changes' },
      ...{ status: 200, body: EnvVarsInput, hides: ['envVars'], answer: DeployResponse },
      run: async ({ at, body, reach }) => {
        await reach.requireService(at('serviceId'));
        const { envVars, merge } = body;
        return services.replaceEnvVars(at('serviceId'), envVars, { isMerged: merge });
      },
    }),
  ];
}
