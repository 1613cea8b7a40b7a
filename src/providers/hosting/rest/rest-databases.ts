import {
  ConnectionShape,
  createPageShape,
  EmptyResponse,
  SqlResultShape,
} from '../../../domain/hosting/api-shapes.ts';
import type { HostingProvider, PageQuery } from '../../../domain/hosting/hosting.ts';
import type { AllowedRange } from '../../../domain/hosting/records.ts';
import { KeyValueShape, PostgresShape } from '../../../domain/hosting/shapes.ts';
import {
  changeRequest,
  getRequest,
  createRequest as orderAsk,
  queryRequest,
  resourcePath,
  toPageQuery,
} from './requests.ts';
import type { RestClient } from './rest-client.ts';

/** Creates the Postgres operations of a second host. */
export function createRestPostgres(client: RestClient): HostingProvider['postgres'] {
  return {
    ...databaseOperations(client, 'postgres', PostgresShape),
    query: async (id, sql, signal) => {
      // Sent only once, because a statement can be expensive.
      const request = {
        ...queryRequest(`${resourcePath('postgres', id)}/query`, { sql }),
        isSafe: false,
      };
      const timeoutMs = client.times.statementMs;
      return client.call({ ...request, timeoutMs, signal }, SqlResultShape);
    },
  };
}

/** Creates the Key Value operations of a second host. */
export function createRestKeyValue(client: RestClient): HostingProvider['keyValue'] {
  return databaseOperations(client, 'key-value', KeyValueShape);
}

/**
 * Implements the operations shared by both kinds of databases; each response matches its schema.
 */
function databaseOperations(
  client: RestClient,
  path: 'postgres' | 'key-value',
  shape: typeof PostgresShape | typeof KeyValueShape,
) {
  return {
    list: async <Told>({ ownerId, ...page }: PageQuery & { readonly ownerId: string }) =>
      client.call<Told>(getRequest(path, toPageQuery(page, { ownerId })), createPageShape(shape)),
    get: async <Told>(id: string) => client.call<Told>(getRequest(resourcePath(path, id)), shape),
    create: async <Told>(body: object, key: string | undefined) =>
      client.call<Told>(orderAsk(path, body, key), shape),
    setAllowList: async <Told>(id: string, ranges: readonly AllowedRange[]) =>
      client.call<Told>(
        changeRequest('PUT', `${resourcePath(path, id)}/allow-list`, { ranges }),
        shape,
      ),
    setSuspended: async <Told>(id: string, isSuspended: boolean) =>
      client.call<Told>(
        changeRequest('POST', `${resourcePath(path, id)}/${isSuspended ? 'suspend' : 'resume'}`),
        shape,
      ),
    remove: async (id: string) =>
      client.call<void>(changeRequest('DELETE', resourcePath(path, id)), EmptyResponse),
    connection: async <Told>(id: string) =>
      client.call<Told>(getRequest(`${resourcePath(path, id)}/connection`), ConnectionShape),
  };
}
