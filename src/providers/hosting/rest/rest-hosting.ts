import type { z } from 'zod';
import {
  AbilitiesShape,
  DeployAnswer,
  EnvVarNames,
  EventShape,
  LabelValues,
  LogPageShape,
  NoAnswer,
  pageShape,
  SeriesAnswer,
  ServiceAnswer,
} from '../../../domain/hosting/api-shapes.ts';
import type { HostingProvider } from '../../../domain/hosting/hosting.ts';
import type { Service } from '../../../domain/hosting/records.ts';
import { DeployShape, ServiceShape, WorkspaceShape } from '../../../domain/hosting/shapes.ts';
import {
  at,
  change,
  eventQuery,
  metricBody,
  order as orderAsk,
  pageQuery,
  read,
  readBy,
} from './asks.ts';
import { type Ask, REST_TIMES, RestClient, type RestTimes } from './rest-client.ts';
import { restKeyValue, restPostgres } from './rest-stores.ts';
import { restTail } from './rest-tail.ts';
import type { RestHostingSettings } from './settings.ts';

/**
 * Creates a provider that uses a second host over its API. Its only local state is the URL pattern
 * of settings pages. Closing it ends requests in flight; the host is unaffected.
 *
 * @param times - Overrides for tests.
 */
export function restHosting(
  settings: RestHostingSettings,
  times: Partial<RestTimes> = {},
): HostingProvider {
  const client = new RestClient(settings, { ...REST_TIMES, ...times });
  return {
    id: 'rest',
    abilities: async () => client.call(read('abilities'), AbilitiesShape),
    workspaces: {
      list: async (page) =>
        client.call(read('workspaces', pageQuery(page)), pageShape(WorkspaceShape)),
      get: async (id) => client.call(read(at('workspaces', id)), WorkspaceShape),
    },
    services: services(client),
    deploys: deploys(client),
    events: {
      list: async (query) =>
        client.call(
          read(`${at('services', query.serviceId)}/events`, eventQuery(query)),
          pageShape(EventShape),
        ),
    },
    logs: {
      query: async (query) => client.call(readBy('logs/query', query), LogPageShape),
      labelValues: async (query) => {
        const told = await client.call<z.infer<typeof LabelValues>>(
          readBy('logs/values', query),
          LabelValues,
        );
        return told.values;
      },
      tail: (filters, signal) => restTail(client, filters.resource, signal),
    },
    metrics: {
      series: async (query) => {
        const ask = readBy('metrics/query', metricBody(query));
        return (await client.call<z.infer<typeof SeriesAnswer>>(ask, SeriesAnswer)).series;
      },
    },
    postgres: restPostgres(client),
    keyValue: restKeyValue(client),
    close: async () => client.close(),
  };
}

function services(client: RestClient): HostingProvider['services'] {
  let settingsForm: string | undefined;
  // Settings URLs of all services differ only in the id, so one reveals the pattern.
  const learnt = <Told extends Service>(service: Told): Told => {
    const { id, dashboardUrl } = service;
    if (/^https?:/.test(dashboardUrl) && dashboardUrl.includes(id))
      settingsForm = dashboardUrl.replaceAll(id, '{id}');
    return service;
  };
  const changed = async (ask: Ask): ReturnType<HostingProvider['services']['create']> => {
    const told = await client.call<{ service: Service; deployId?: string }>(ask, ServiceAnswer);
    learnt(told.service);
    return told;
  };
  return {
    list: async ({ ownerId, ...page }) =>
      client.call(read('services', pageQuery(page, { ownerId })), pageShape(ServiceShape)),
    get: async (id) => learnt(await client.call<Service>(read(at('services', id)), ServiceShape)),
    create: async (order, key) => changed(orderAsk('services', order, key)),
    update: async (id, patch) => changed(change('PATCH', at('services', id), patch)),
    remove: async (id) => client.call(change('DELETE', at('services', id)), NoAnswer),
    restart: async (id) => client.call(change('POST', `${at('services', id)}/restart`), NoAnswer),
    replaceEnvVars: async (id, envVars, { isMerged = false } = {}) => {
      const body = isMerged ? { envVars, merge: true } : { envVars };
      return client.call(change('PUT', `${at('services', id)}/env-vars`, body), DeployAnswer);
    },
    envVarNames: async (id) => {
      const ask = read(`${at('services', id)}/env-vars`);
      return (await client.call<z.infer<typeof EnvVarNames>>(ask, EnvVarNames)).names;
    },
    settingsUrl: (id) => settingsForm?.replaceAll('{id}', id) ?? `${client.url}/console/`,
  };
}

function deploys(client: RestClient): HostingProvider['deploys'] {
  const of = (serviceId: string): string => `${at('services', serviceId)}/deploys`;
  return {
    list: async ({ serviceId, ...page }) =>
      client.call(read(of(serviceId), pageQuery(page)), pageShape(DeployShape)),
    get: async (serviceId, deployId) => client.call(read(at(of(serviceId), deployId)), DeployShape),
    trigger: async (serviceId, order) =>
      client.call(change('POST', of(serviceId), order), DeployShape),
    cancel: async (serviceId, deployId) =>
      client.call(change('POST', `${at(of(serviceId), deployId)}/cancel`), DeployShape),
    rollback: async (serviceId, deployId) =>
      client.call(change('POST', `${at(of(serviceId), deployId)}/rollback`), DeployShape),
  };
}
