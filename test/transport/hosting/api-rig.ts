import { expect } from 'vitest';
import type { FrontOptions } from '../../../src/transport/front/front.ts';
import type { HttpEngine } from '../../../src/transport/http/host.ts';
import { TOKEN } from '../../support/front-rig.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';
import { type ServedHosting, serveHosting } from '../../support/served-hosting.ts';

/** Where the API is. */
export const PREFIX = '/hosting/api/v1/';

/** One request. */
export interface Asked {
  readonly method?: string;
  readonly token?: string;
  /** Sent as JSON; a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly value: any;
  readonly text: string;
}

/** An API on a real front, with something in workspace Alpha. */
export interface ServedApi extends ServedHosting {
  ask(path: string, asked?: Asked): Promise<Answered>;
}

/** Serves the API over memory. */
export async function serveApi(
  engine: HttpEngine,
  overrides: Partial<FrontOptions> = {},
): Promise<ServedApi> {
  const served = await serveHosting(engine, overrides);
  const ask = async (
    path: string,
    { method = 'GET', token = TOKEN, body, headers }: Asked = {},
  ) => {
    const response = await fetch(`${served.rig.baseUrl}${PREFIX}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    const { status } = response;
    return {
      status,
      headers: response.headers,
      text,
      value: isJson ? JSON.parse(text) : undefined,
    };
  };
  return { ...served, ask };
}

/** An order for a web service of workspace Alpha. */
export const SHOP_ORDER = {
  type: 'web_service',
  ownerId: WORKSPACES[0].id,
  name: 'shop',
  autoDeploy: 'no',
  repo: 'https://git.example/shop',
  branch: 'main',
  envVars: [],
  run: { runtime: 'node', buildCommand: 'npm ci', startCommand: 'npm start' },
  plan: 'starter',
  region: 'oregon',
} as const;

/** A service with a live deploy, and a database of each kind, in workspace Alpha. */
export async function stocked(api: ServedApi) {
  const ownerId = WORKSPACES[0].id;
  const shared = { ownerId, name: 'store', plan: 'free', region: 'oregon' };
  const make = async (path: string, body: object) => {
    const { status, value } = await api.ask(path, { method: 'POST', body });
    expect(status).toBe(201);
    return value;
  };
  const { service, deployId } = await make('services', SHOP_ORDER);
  const postgres = await make('postgres', { ...shared, version: 16, diskSizeGB: 1 });
  const policies = { maxmemoryPolicy: 'allkeys_lru', persistenceMode: 'off' };
  const keyValue = await make('key-value', { ...shared, ...policies });
  await api.clock.advance(60_000);
  return {
    serviceId: service.id as string,
    deployId: deployId as string,
    postgresId: postgres.id as string,
    keyValueId: keyValue.id as string,
  };
}
