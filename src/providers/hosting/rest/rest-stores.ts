import {
  ConnectionShape,
  NoAnswer,
  pageShape,
  SqlShape,
} from '../../../domain/hosting/api-shapes.ts';
import type { HostingProvider, PageQuery } from '../../../domain/hosting/hosting.ts';
import type { AllowedRange } from '../../../domain/hosting/records.ts';
import { KeyValueShape, PostgresShape } from '../../../domain/hosting/shapes.ts';
import { at, change, order as orderAsk, pageQuery, read, readBy } from './asks.ts';
import type { RestClient } from './rest-client.ts';

/** Creates the Postgres operations of a second host. */
export function restPostgres(client: RestClient): HostingProvider['postgres'] {
  return {
    ...shelf(client, 'postgres', PostgresShape),
    query: async (id, sql, signal) => {
      // Sent only once, because a statement can be expensive.
      const ask = { ...readBy(`${at('postgres', id)}/query`, { sql }), isSafe: false };
      const timeoutMs = client.times.statementMs;
      return client.call({ ...ask, timeoutMs, signal }, SqlShape);
    },
  };
}

/** Creates the Key Value operations of a second host. */
export function restKeyValue(client: RestClient): HostingProvider['keyValue'] {
  return shelf(client, 'key-value', KeyValueShape);
}

/**
 * Implements the operations shared by both kinds of databases; each response matches its schema.
 */
function shelf(
  client: RestClient,
  path: 'postgres' | 'key-value',
  shape: typeof PostgresShape | typeof KeyValueShape,
) {
  return {
    list: async <Told>({ ownerId, ...page }: PageQuery & { readonly ownerId: string }) =>
      client.call<Told>(read(path, pageQuery(page, { ownerId })), pageShape(shape)),
    get: async <Told>(id: string) => client.call<Told>(read(at(path, id)), shape),
    create: async <Told>(body: object, key: string | undefined) =>
      client.call<Told>(orderAsk(path, body, key), shape),
    setAllowList: async <Told>(id: string, ranges: readonly AllowedRange[]) =>
      client.call<Told>(change('PUT', `${at(path, id)}/allow-list`, { ranges }), shape),
    setSuspended: async <Told>(id: string, isSuspended: boolean) =>
      client.call<Told>(
        change('POST', `${at(path, id)}/${isSuspended ? 'suspend' : 'resume'}`),
        shape,
      ),
    remove: async (id: string) => client.call<void>(change('DELETE', at(path, id)), NoAnswer),
    connection: async <Told>(id: string) =>
      client.call<Told>(read(`${at(path, id)}/connection`), ConnectionShape),
  };
}
