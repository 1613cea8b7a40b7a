import type { z } from 'zod';
import {
  createPageShape,
  DeployResponse,
  EmptyResponse,
  EnvVarNames,
  EventShape,
  HostingFeaturesShape,
  LabelValues,
  LogPageShape,
  SeriesResponse,
  ServiceResponse,
} from '../../../domain/hosting/api-shapes.ts';
import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import type { Service } from '../../../domain/hosting/records.ts';
import { DeployShape, ServiceShape, WorkspaceShape } from '../../../domain/hosting/shapes.ts';
import {
  changeRequest,
  getRequest,
  createRequest as orderAsk,
  queryRequest,
  resourcePath,
  toEventQuery,
  toMetricBody,
  toPageQuery,
} from './requests.ts';
import { REST_TIMEOUTS, RestClient, type RestRequest, type RestTimeouts } from './rest-client.ts';
import { createRestKeyValue, createRestPostgres } from './rest-databases.ts';
import { tailLogs } from './rest-tail.ts';
import type { RestHostingSettings } from './settings.ts';

/**
 * Creates a provider that uses a second host over its API. Its only local state is the URL pattern
 * of settings pages. Closing it ends requests in flight; the host is unaffected.
 *
 * @param times - Overrides for tests.
 */
export function createRestHosting(
  settings: RestHostingSettings,
  times: Partial<RestTimeouts> = {},
): HostingProvider {
  const client = new RestClient(settings, { ...REST_TIMEOUTS, ...times });
  return {
    id: 'rest',
    listFeatures: async () => client.call(getRequest('abilities'), HostingFeaturesShape),
    workspaces: {
      list: async (page) =>
        client.call(getRequest('workspaces', toPageQuery(page)), createPageShape(WorkspaceShape)),
      get: async (id) => client.call(getRequest(resourcePath('workspaces', id)), WorkspaceShape),
    },
    services: createServices(client),
    deploys: createDeploys(client),
    events: {
      list: async (query) =>
        client.call(
          getRequest(`${resourcePath('services', query.serviceId)}/events`, toEventQuery(query)),
          createPageShape(EventShape),
        ),
    },
    logs: {
      query: async (query) => client.call(queryRequest('logs/query', query), LogPageShape),
      labelValues: async (query) => {
        const answer = await client.call<z.infer<typeof LabelValues>>(
          queryRequest('logs/values', query),
          LabelValues,
        );
        return answer.values;
      },
      tail: (filters, signal) => tailLogs(client, filters.resource, signal),
    },
    metrics: {
      series: async (query) => {
        const ask = queryRequest('metrics/query', toMetricBody(query));
        return (await client.call<z.infer<typeof SeriesResponse>>(ask, SeriesResponse)).series;
      },
    },
    postgres: createRestPostgres(client),
    keyValue: createRestKeyValue(client),
    close: async () => client.close(),
  };
}

function createServices(client: RestClient): HostingProvider['services'] {
  let settingsForm: string | undefined;
  // Settings URLs of all services differ only in the id, so one reveals the pattern.
  const learnSettingsForm = <Told extends Service>(service: Told): Told => {
    const { id, dashboardUrl } = service;
    if (/^https?:/.test(dashboardUrl) && dashboardUrl.includes(id))
      settingsForm = dashboardUrl.replaceAll(id, '{id}');
    return service;
  };
  const sendChange = async (
    ask: RestRequest,
  ): ReturnType<HostingProvider['services']['create']> => {
    const told = await client.call<{ service: Service; deployId?: string }>(ask, ServiceResponse);
    learnSettingsForm(told.service);
    return told;
  };
  return {
    list: async ({ ownerId, ...page }) =>
      client.call(
        getRequest('services', toPageQuery(page, { ownerId })),
        createPageShape(ServiceShape),
      ),
    get: async (id) =>
      learnSettingsForm(
        await client.call<Service>(getRequest(resourcePath('services', id)), ServiceShape),
      ),
    create: async (order, key) => sendChange(orderAsk('services', order, key)),
    update: async (id, patch) =>
      sendChange(changeRequest('PATCH', resourcePath('services', id), patch)),
    remove: async (id) =>
      client.call(changeRequest('DELETE', resourcePath('services', id)), EmptyResponse),
    restart: async (id) =>
      client.call(changeRequest('POST', `${resourcePath('services', id)}/restart`), EmptyResponse),
    replaceEnvVars: async (id, envVars, { isMerged = false } = {}) => {
      const body = isMerged ? { envVars, merge: true } : { envVars };
      return client.call(
        changeRequest('PUT', `${resourcePath('services', id)}/env-vars`, body),
        DeployResponse,
      );
    },
    envVarNames: async (id) => {
      const ask = getRequest(`${resourcePath('services', id)}/env-vars`);
      return (await client.call<z.infer<typeof EnvVarNames>>(ask, EnvVarNames)).names;
    },
    settingsUrl: (id) => settingsForm?.replaceAll('{id}', id) ?? `${client.url}/console/`,
  };
}

function createDeploys(client: RestClient): HostingProvider['deploys'] {
  const of = (serviceId: string): string => `${resourcePath('services', serviceId)}/deploys`;
  return {
    list: async ({ serviceId, ...page }) =>
      client.call(getRequest(of(serviceId), toPageQuery(page)), createPageShape(DeployShape)),
    get: async (serviceId, deployId) =>
      client.call(getRequest(resourcePath(of(serviceId), deployId)), DeployShape),
    trigger: async (serviceId, order) =>
      client.call(changeRequest('POST', of(serviceId), order), DeployShape),
    cancel: async (serviceId, deployId) =>
      client.call(
        changeRequest('POST', `${resourcePath(of(serviceId), deployId)}/cancel`),
        DeployShape,
      ),
    rollback: async (serviceId, deployId) =>
      client.call(
        changeRequest('POST', `${resourcePath(of(serviceId), deployId)}/rollback`),
        DeployShape,
      ),
  };
}
