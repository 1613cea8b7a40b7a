import { describe, expect, test } from 'vitest';
import type { HttpEngine } from '../../../src/transport/http/host.ts';
import { ENGINES } from '../../support/engines.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';
import { type Asked, SHOP_ORDER, serveApi, stocked } from './api-rig.ts';

const ALPHA = WORKSPACES[0].id;
const SECRET = 'never-shown-71ac';
const POSTGRES = {
  ownerId: ALPHA,
  name: 'p',
  plan: 'free',
  region: 'oregon',
  version: 16,
  diskSizeGB: 1,
};
const KEY_VALUE = {
  ownerId: ALPHA,
  name: 'k',
  plan: 'free',
  region: 'oregon',
  maxmemoryPolicy: 'allkeys_lru',
  persistenceMode: 'off',
};
const LOGS = {
  resource: ['SERVICE'],
  startTime: '2026-03-01T11:00:00Z',
  endTime: '2026-03-01T12:00:00Z',
};
const METRICS = { ...LOGS, resource: undefined, resourceId: 'SERVICE', type: 'cpu_limit' };

const STATUS = {
  INPUT_INVALID: 422,
  RESOURCE_UNKNOWN: 404,
  NAME_TAKEN: 409,
  SQL_REFUSED: 422,
} as const;
type Code = keyof typeof STATUS;

const post = (body: unknown): Asked => ({ method: 'POST', body });
const put = (body: unknown): Asked => ({ method: 'PUT', body });
const patch = (body: unknown): Asked => ({ method: 'PATCH', body });

/** Address, request, code, and what the message says; ids in capitals are filled in. */
const ROWS: readonly (readonly [string, Asked, Code, string])[] = [
  ['abilities?a=1', {}, 'INPUT_INVALID', 'a: received "1", allowed: no query parameters'],
  ['workspaces?limit=0', {}, 'INPUT_INVALID', 'limit: received "0", allowed: at least 1'],
  ['workspaces?limit=101', {}, 'INPUT_INVALID', 'allowed: at most 100'],
  ['workspaces?limit=1.5', {}, 'INPUT_INVALID', 'limit: received "1.5"'],
  ['workspaces?limit=ten', {}, 'INPUT_INVALID', 'limit: received "ten", allowed: number'],
  ['workspaces?limit=1&limit=2', {}, 'INPUT_INVALID', 'limit: received'],
  ['workspaces?cursor=none', {}, 'INPUT_INVALID', 'cursor: received "none"'],
  ['workspaces/tea-none', {}, 'RESOURCE_UNKNOWN', 'tea-none'],
  ['services', {}, 'INPUT_INVALID', 'ownerId: received nothing, allowed: string'],
  ['services?ownerId=', {}, 'INPUT_INVALID', 'ownerId: received ""'],
  ['services?ownerId=tea-none', {}, 'RESOURCE_UNKNOWN', 'tea-none'],
  [`services?ownerId=${ALPHA}&page=2`, {}, 'INPUT_INVALID', 'page: received "2", allowed: no'],
  ['services/', {}, 'RESOURCE_UNKNOWN', 'See openapi.json for all paths'],
  ['services/%zz', {}, 'INPUT_INVALID', 'serviceId: received "%zz"'],
  ['services/a%00b', {}, 'INPUT_INVALID', 'without control characters'],
  [`services/${'x'.repeat(65)}`, {}, 'INPUT_INVALID', 'serviceId: received "xxx'],
  ['services/..%2fpostgres', {}, 'RESOURCE_UNKNOWN', '../postgres'],
  ['services/none', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['services', post('{'), 'INPUT_INVALID', 'allowed: JSON in UTF-8'],
  ['services', post('[]'), 'INPUT_INVALID', 'received [], allowed: object'],
  ['services', post('null'), 'INPUT_INVALID', 'received null, allowed: object'],
  ['services', post({ type: 'worker' }), 'INPUT_INVALID', 'type: received "worker"'],
  ['services', post({ ...SHOP_ORDER, name: '' }), 'INPUT_INVALID', 'name: received ""'],
  ['services', post({ ...SHOP_ORDER, image: 'a' }), 'INPUT_INVALID', 'image: received'],
  ['services', post({ ...SHOP_ORDER, plan: 'huge' }), 'INPUT_INVALID', 'plan: received "huge"'],
  ['services', post({ ...SHOP_ORDER, repo: 'ext::sh' }), 'INPUT_INVALID', 'repo: received'],
  ['services', post({ ...SHOP_ORDER, branch: '-x' }), 'INPUT_INVALID', 'branch: received'],
  [
    'services',
    post({ ...SHOP_ORDER, run: { runtime: 'php' } }),
    'INPUT_INVALID',
    'run.runtime: received "php"',
  ],
  ['services', post({ ...SHOP_ORDER, run: 'x' }), 'INPUT_INVALID', 'run: received "x"'],
  ['services', post({ ...SHOP_ORDER, ownerId: 'tea-none' }), 'RESOURCE_UNKNOWN', 'tea-none'],
  ['services', post(SHOP_ORDER), 'NAME_TAKEN', 'shop'],
  [
    'services',
    { ...post(SHOP_ORDER), headers: { 'content-type': 'text/plain' } },
    'INPUT_INVALID',
    'content-type: received "text/plain"',
  ],
  [
    'services',
    { ...post(SHOP_ORDER), headers: { 'idempotency-key': 'x'.repeat(201) } },
    'INPUT_INVALID',
    'idempotency-key: received "xxx',
  ],
  ['services/SERVICE', patch({ boom: 1 }), 'INPUT_INVALID', 'boom: received 1, allowed: no'],
  ['services/SERVICE', patch({ numInstances: 0 }), 'INPUT_INVALID', 'numInstances: received 0'],
  ['services/SERVICE', patch({ publishPath: 'a' }), 'INPUT_INVALID', 'publishPath: received'],
  ['services/SERVICE', patch({ suspended: 'no' }), 'INPUT_INVALID', 'suspended: received "no"'],
  ['services/none', { method: 'DELETE' }, 'RESOURCE_UNKNOWN', 'none'],
  ['services/none/restart', { method: 'POST' }, 'RESOURCE_UNKNOWN', 'none'],
  ['services/SERVICE/restart', post({}), 'INPUT_INVALID', 'allowed: no body'],
  ['services/none/env-vars', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['services/SERVICE/env-vars', put({}), 'INPUT_INVALID', 'envVars: received nothing'],
  ['services/SERVICE/env-vars', put({ envVars: [{ key: '1' }] }), 'INPUT_INVALID', 'hidden'],
  ['services/none/deploys', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['services/SERVICE/deploys?limit=0', {}, 'INPUT_INVALID', 'limit: received "0"'],
  ['services/SERVICE/deploys', post({ clearCache: 1 }), 'INPUT_INVALID', 'clearCache: received'],
  ['services/SERVICE/deploys', post({ trigger: 'x' }), 'INPUT_INVALID', 'trigger: received "x"'],
  ['services/SERVICE/deploys/none', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['services/SERVICE/deploys/DEPLOY/cancel', { method: 'POST' }, 'INPUT_INVALID', 'in progress'],
  ['services/SERVICE/deploys/DEPLOY/rollback', { method: 'POST' }, 'INPUT_INVALID', 'previously'],
  ['services/SERVICE/events?type=boom', {}, 'INPUT_INVALID', 'type.0: received "boom"'],
  ['services/SERVICE/events?startTime=now', {}, 'INPUT_INVALID', 'startTime: received "now"'],
  ['services/SERVICE/events?endTime=1', {}, 'INPUT_INVALID', 'endTime: received "1"'],
  ['logs/query', post({ ...LOGS, resource: [] }), 'INPUT_INVALID', 'resource: received []'],
  ['logs/query', post({ ...LOGS, resource: ['none'] }), 'RESOURCE_UNKNOWN', 'none'],
  ['logs/query', post({ ...LOGS, limit: 101 }), 'INPUT_INVALID', 'limit: received 101'],
  ['logs/query', post({ ...LOGS, limit: '5' }), 'INPUT_INVALID', 'limit: received "5"'],
  ['logs/query', post({ ...LOGS, startTime: 'x' }), 'INPUT_INVALID', 'startTime: received "x"'],
  ['logs/query', post({ ...LOGS, text: ['/(/'] }), 'INPUT_INVALID', '/(/'],
  ['logs/query', post({ ...LOGS, direction: 'up' }), 'INPUT_INVALID', 'direction: received'],
  ['logs/values', post({ ...LOGS, label: 'path' }), 'INPUT_INVALID', 'label: received "path"'],
  ['logs/tail', {}, 'INPUT_INVALID', 'resource: received nothing'],
  ['logs/tail?resource=none', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['metrics/query', post({ ...METRICS, type: 'x' }), 'INPUT_INVALID', 'type: received "x"'],
  ['metrics/query', post({ ...METRICS, resolutionSec: 29 }), 'INPUT_INVALID', 'at least 30'],
  [
    'metrics/query',
    post({ ...METRICS, startTime: '1970-01-01T00:00:00Z' }),
    'INPUT_INVALID',
    'resolutionSec: received 60, allowed: at least',
  ],
  ['metrics/query', post({ ...METRICS, latencyQuantile: 2 }), 'INPUT_INVALID', 'at most 1'],
  ['metrics/query', post({ ...METRICS, resourceId: 'none' }), 'RESOURCE_UNKNOWN', 'none'],
  ['postgres', post({ ...POSTGRES, version: 12 }), 'INPUT_INVALID', 'version: received 12'],
  ['postgres', post({ ...POSTGRES, plan: 'x' }), 'INPUT_INVALID', 'plan: received "x"'],
  ['postgres', post({ ...POSTGRES, diskSizeGB: 0 }), 'INPUT_INVALID', 'diskSizeGB: received 0'],
  ['postgres/none', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['postgres/none', { method: 'DELETE' }, 'RESOURCE_UNKNOWN', 'none'],
  ['postgres/none/connection', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['postgres/POSTGRES/allow-list', put({}), 'INPUT_INVALID', 'ranges: received nothing'],
  [
    'postgres/POSTGRES/allow-list',
    put({ ranges: [{ cidrBlock: 'all', description: '' }] }),
    'INPUT_INVALID',
    'cidrBlock: received "all"',
  ],
  ['postgres/POSTGRES/query', post({ sql: '' }), 'INPUT_INVALID', 'sql: received ""'],
  ['postgres/POSTGRES/query', post({ sql: 'a\0' }), 'INPUT_INVALID', 'without NUL'],
  ['postgres/POSTGRES/query', post({ sql: 'select 1' }), 'SQL_REFUSED', 'no database behind'],
  ['key-value', post({ ...KEY_VALUE, plan: 'x' }), 'INPUT_INVALID', 'plan: received "x"'],
  ['key-value', post({ ...KEY_VALUE, persistenceMode: 1 }), 'INPUT_INVALID', 'persistenceMode'],
  ['key-value/none', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['key-value/none', { method: 'DELETE' }, 'RESOURCE_UNKNOWN', 'none'],
  ['key-value/none/connection', {}, 'RESOURCE_UNKNOWN', 'none'],
  ['key-value/KEYVALUE/allow-list', put({ ranges: 1 }), 'INPUT_INVALID', 'ranges: received 1'],
  ['nothing', {}, 'RESOURCE_UNKNOWN', 'Unknown path "nothing"'],
];

/** An API with something in it, and how the ids of that are filled in. */
async function filledApi(engine: HttpEngine) {
  const api = await serveApi(engine);
  const { serviceId, deployId, postgresId, keyValueId } = await stocked(api);
  const fill = (text: string): string =>
    text
      .replaceAll('SERVICE', serviceId)
      .replaceAll('DEPLOY', deployId)
      .replaceAll('POSTGRES', postgresId)
      .replaceAll('KEYVALUE', keyValueId);
  const ask = (path: string, { body, ...rest }: Asked) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return api.ask(fill(path), body === undefined ? rest : { ...rest, body: fill(text ?? '') });
  };
  return { ...api, ask };
}

describe.each(ENGINES)('%s', (engine) => {
  test('what is wrong is refused by name, on every address', { timeout: 120_000 }, async () => {
    const { ask } = await filledApi(engine);
    const found: unknown[] = [];
    for (const [path, asked, code, said] of ROWS) {
      const { status, value, headers, text } = await ask(path, asked);
      const isSaid = String(value?.message).includes(said);
      const isRight = status === STATUS[code] && value?.error === code && isSaid;
      const isKept = headers.get('cache-control') !== 'no-store';
      if (!isRight || isKept) found.push({ path, asked, status, text });
    }
    expect(found).toEqual([]);
  });

  test('a method that an address has not is refused with those that it has', async () => {
    const { ask } = await filledApi(engine);
    const answer = await ask('services/SERVICE', put({}));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, PATCH, DELETE']);
  });

  test('the value of a variable is repeated by no error', { timeout: 60_000 }, async () => {
    const { ask } = await filledApi(engine);
    for (const envVars of [
      `TOKEN=${SECRET}`,
      [{ key: 'A', value: `${SECRET}\0` }],
      [{ key: 'A', value: SECRET, more: SECRET }],
      [{ key: `A=${SECRET}`, value: '' }],
    ]) {
      const made = await ask('services', post({ ...SHOP_ORDER, name: 'other', envVars }));
      const replaced = await ask('services/SERVICE/env-vars', put({ envVars }));
      expect([made.status, replaced.status]).toEqual([422, 422]);
      expect(made.text + replaced.text).not.toContain(SECRET);
    }
    const cut = await ask('services', post(`{"envVars":[{"key":"A","value":"${SECRET}"`));
    expect(cut.text).not.toContain(SECRET);
  });

  test('a body that is too long, too deep or too wide is refused', {
    timeout: 60_000,
  }, async () => {
    const { ask } = await filledApi(engine);
    const bodies = ['x'.repeat(2_097_153), '['.repeat(2_000), `[${'1,'.repeat(30_000)}1]`];
    for (const body of bodies) {
      const { status, value } = await ask('services', post(body));
      expect([status, value.error]).toEqual([413, 'BODY_TOO_LARGE']);
    }
  });
});
