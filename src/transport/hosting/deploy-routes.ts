import { createPageShape, EventShape } from '../../domain/hosting/api-shapes.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { parseInstantMs } from '../../domain/hosting/instant.ts';
import { DeployShape } from '../../domain/hosting/shapes.ts';
import { EventsInput, PageInput, TriggerInput } from './api-inputs.ts';
import { requireGrant } from './api-reach.ts';
import { type ApiRoute, apiRoute } from './api-route.ts';

/** Creates the routes of a service's deploys and events. */
export function deployRoutes({ deploys, events }: HostingProvider): readonly ApiRoute[] {
  const toolset = 'deploys';
  const path = 'services/{serviceId}/deploys';
  return [
    apiRoute({
      method: 'GET',
      path,
      operation: 'listDeploys',
      toolset,
      act: 'reads',
      status: 200,
      summary: 'List the deploys of a service, newest first',
      query: PageInput,
      answer: createPageShape(DeployShape),
      run: async ({ at, query, reach }) => {
        await reach.requireService(at('serviceId'));
        return deploys.list({ serviceId: at('serviceId'), ...query });
      },
    }),
    apiRoute({
      method: 'POST',
      path,
      operation: 'triggerDeploy',
      toolset,
      act: 'changes',
      status: 201,
      summary: 'Start a deploy of the branch head',
      body: TriggerInput,
      answer: DeployShape,
      run: async ({ at, body, reach }) => {
        if (body.trigger !== undefined) {
          const operation = 'triggerDeploy with trigger';
          requireGrant(reach.grant, { operation, toolset, act: 'host' });
        }
        await reach.requireService(at('serviceId'));
        return deploys.trigger(at('serviceId'), body);
      },
    }),
    apiRoute({
      method: 'GET',
      path: `${path}/{deployId}`,
      operation: 'getDeploy',
      toolset,
      summary: 'Get a deploy',
      act: 'reads',
      status: 200,
      answer: DeployShape,
      run: async ({ at, reach }) => {
        await reach.requireService(at('serviceId'));
        return deploys.get(at('serviceId'), at('deployId'));
      },
    }),
    moveRoute(deploys, 'cancel'),
    moveRoute(deploys, 'rollback'),
    eventsRoute(events),
  ];
}

function moveRoute(deploys: HostingProvider['deploys'], move: 'cancel' | 'rollback'): ApiRoute {
  return apiRoute({
    method: 'POST',
    path: `services/{serviceId}/deploys/{deployId}/${move}`,
    operation: `${move}Deploy`,
    summary: SUMMARIES[move],
    toolset: 'deploys',
    act: 'host',
    status: 200,
    answer: DeployShape,
    run: async ({ at, reach }) => {
      await reach.requireService(at('serviceId'));
      return deploys[move](at('serviceId'), at('deployId'));
    },
  });
}

function eventsRoute(events: HostingProvider['events']): ApiRoute {
  return apiRoute({
    method: 'GET',
    path: 'services/{serviceId}/events',
    operation: 'listEvents',
    summary: 'List the events of a service, newest first',
    toolset: 'events',
    act: 'reads',
    status: 200,
    query: EventsInput,
    repeated: ['type'],
    answer: createPageShape(EventShape),
    run: async ({ at, query, reach }) => {
      await reach.requireService(at('serviceId'));
      const { type: types, startTime, endTime, ...page } = query;
      return events.list({
        serviceId: at('serviceId'),
        ...page,
        ...(types === undefined ? {} : { types }),
        ...(startTime === undefined ? {} : { start: parseInstantMs(startTime) ?? 0 }),
        ...(endTime === undefined ? {} : { end: parseInstantMs(endTime) ?? 0 }),
      });
    },
  });
}

const SUMMARIES = {
  cancel: 'Cancel a running deploy',
  rollback: 'Start a deploy of an earlier build',
} as const;
