import {
  ConnectionShape,
  createPageShape,
  EmptyResponse,
  SqlResultShape,
} from '../../domain/hosting/api-shapes.ts';
import { KeyValueShape, PostgresShape } from '../../domain/hosting/shapes.ts';
import { runWithLimits } from '../../tools/hosting/database/sql-guard.ts';
import type { HostingToolDeps } from '../../tools/hosting/deps.ts';
import {
  AllowListInput,
  NewKeyValueInput,
  NewPostgresInput,
  OwnedInput,
  SqlInput,
} from './api-inputs.ts';
import type { ApiReach } from './api-reach.ts';
import { type ApiRoute, apiRoute } from './api-route.ts';

/** Creates the routes of Postgres servers: the common database routes, and SQL queries. */
export function postgresRoutes(deps: HostingToolDeps): readonly ApiRoute[] {
  const { postgres } = deps.provider;
  const requireHeld = (reach: ApiReach, id: string) => reach.requirePostgres(id);
  return [
    apiRoute({
      ...{ method: 'GET', path: 'postgres', operation: 'listPostgres', toolset: 'postgres' },
      ...{ summary: 'List the Postgres servers of a workspace', act: 'reads', status: 200 },
      ...{ query: OwnedInput, answer: createPageShape(PostgresShape) },
      run: async ({ query, reach }) => {
        reach.requireWorkspace(query.ownerId);
        return postgres.list(query);
      },
    }),
    apiRoute({
      ...{ method: 'POST', path: 'postgres', operation: 'createPostgres', toolset: 'postgres' },
      ...{ summary: 'Create a Postgres server', act: 'changes', status: 201, takesKey: true },
      ...{ body: NewPostgresInput, answer: PostgresShape },
      run: async ({ body, key, reach }) => {
        reach.requireWorkspace(body.ownerId);
        return postgres.create(body, key);
      },
    }),
    ...storeRoutes({ word: 'Postgres', toolset: 'postgres', name: 'postgresId' }, (id, reach) => ({
      ...{ held: () => requireHeld(reach, id), get: () => postgres.get(id) },
      ...{ remove: () => postgres.remove(id), connection: () => postgres.connection(id) },
      setAllowList: (ranges) => postgres.setAllowList(id, ranges),
      setSuspended: (isSuspended) => postgres.setSuspended(id, isSuspended),
    })),
    apiRoute({
      ...{ method: 'POST', path: 'postgres/{postgresId}/query', operation: 'queryPostgres' },
      ...{ summary: 'Run one read-only SQL statement', toolset: 'postgres', act: 'reads' },
      ...{ status: 200, body: SqlInput, answer: SqlResultShape },
      run: async ({ at, body, reach, signal }) => {
        await reach.requirePostgres(at('postgresId'));
        return runWithLimits(deps, at('postgresId'), body.sql, signal);
      },
    }),
  ];
}

/** Creates the routes of Key Value instances. */
export function keyValueRoutes({ provider }: HostingToolDeps): readonly ApiRoute[] {
  const { keyValue } = provider;
  const toolset = 'key_value';
  return [
    apiRoute({
      ...{ method: 'GET', path: 'key-value', operation: 'listKeyValue', toolset, act: 'reads' },
      ...{ summary: 'List the Key Value instances of a workspace', status: 200, query: OwnedInput },
      answer: createPageShape(KeyValueShape),
      run: async ({ query, reach }) => {
        reach.requireWorkspace(query.ownerId);
        return keyValue.list(query);
      },
    }),
    apiRoute({
      ...{ method: 'POST', path: 'key-value', operation: 'createKeyValue', toolset },
      ...{ summary: 'Create a Key Value instance', act: 'changes', status: 201, takesKey: true },
      ...{ body: NewKeyValueInput, answer: KeyValueShape },
      run: async ({ body, key, reach }) => {
        reach.requireWorkspace(body.ownerId);
        return keyValue.create(body, key);
      },
    }),
    ...storeRoutes({ word: 'KeyValue', toolset, name: 'keyValueId' }, (id, reach) => ({
      ...{ held: () => reach.requireKeyValue(id), get: () => keyValue.get(id) },
      ...{ remove: () => keyValue.remove(id), connection: () => keyValue.connection(id) },
      setAllowList: (ranges) => keyValue.setAllowList(id, ranges),
      setSuspended: (isSuspended) => keyValue.setSuspended(id, isSuspended),
    })),
  ];
}

const SUSPENSION_SUMMARIES = {
  suspend: 'Stop a database and keep its data',
  resume: 'Start a suspended database',
} as const;

interface StoreNaming {
  /** The name of the database kind in operation ids. */
  readonly word: 'Postgres' | 'KeyValue';
  readonly toolset: 'postgres' | 'key_value';
  readonly name: string;
}

/** The operations that both kinds of databases share. */
interface Store {
  held(): Promise<void>;
  get(): Promise<unknown>;
  remove(): Promise<void>;
  connection(): Promise<unknown>;
  setAllowList(
    ranges: readonly { readonly cidrBlock: string; readonly description: string }[],
  ): Promise<unknown>;
  setSuspended(isSuspended: boolean): Promise<unknown>;
}

function storeRoutes(
  { word, toolset, name }: StoreNaming,
  open: (id: string, reach: ApiReach) => Store,
): readonly ApiRoute[] {
  const path = `${toolset === 'postgres' ? 'postgres' : 'key-value'}/{${name}}`;
  const answer = word === 'Postgres' ? PostgresShape : KeyValueShape;
  const openHeld = async (id: string, reach: ApiReach): Promise<Store> => {
    const store = open(id, reach);
    await store.held();
    return store;
  };
  return [
    apiRoute({
      ...{ method: 'GET', path, operation: `get${word}`, toolset, act: 'reads', status: 200 },
      ...{ summary: 'Get a database, without its password', answer },
      run: async ({ at, reach }) => (await openHeld(at(name), reach)).get(),
    }),
    apiRoute({
      ...{ method: 'DELETE', path, operation: `remove${word}`, toolset, act: 'host' },
      ...{ summary: 'Delete a database and its data', status: 204, answer: EmptyResponse },
      run: async ({ at, reach }) => (await openHeld(at(name), reach)).remove(),
    }),
    apiRoute({
      ...{ method: 'PUT', path: `${path}/allow-list`, operation: `set${word}AllowList`, toolset },
      ...{ summary: 'Set the networks that may connect from outside', act: 'host', status: 200 },
      ...{ body: AllowListInput, answer },
      run: async ({ at, body, reach }) =>
        (await openHeld(at(name), reach)).setAllowList(body.ranges),
    }),
    ...(['suspend', 'resume'] as const).map((verb) =>
      apiRoute({
        ...{ method: 'POST', path: `${path}/${verb}`, operation: `${verb}${word}`, toolset },
        ...{ summary: SUSPENSION_SUMMARIES[verb], act: 'host', status: 200, answer },
        run: async ({ at, reach }) =>
          (await openHeld(at(name), reach)).setSuspended(verb === 'suspend'),
      }),
    ),
    apiRoute({
      ...{ method: 'GET', path: `${path}/connection`, operation: `get${word}Connection`, toolset },
      ...{ summary: 'Get the connection details (secret)', act: 'host', status: 200 },
      answer: ConnectionShape,
      run: async ({ at, reach }) => (await openHeld(at(name), reach)).connection(),
    }),
  ];
}
