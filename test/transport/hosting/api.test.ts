import { describe, expect, test } from 'vitest';
import type { HttpEngine } from '../../../src/transport/http/host.ts';
import { ENGINES } from '../../support/engines.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';
import { PREFIX, type ServedApi, SHOP_ORDER, serveApi, stocked } from './api-rig.ts';

type Claims = Readonly<Record<string, (engine: HttpEngine) => Promise<void>>>;

const TIMEOUT_MS = 60_000;
const [ALPHA, BETA] = [WORKSPACES[0].id, WORKSPACES[1].id];
const SECRET = 'never-shown-9c21';

/** Operations by what they need, with what a call of each says. */
const READS = ['abilities', 'workspaces', `services?ownerId=${ALPHA}`, 'services/SERVICE'] as const;
const HOST_ACTS = [
  ['PATCH', 'services/SERVICE', { name: 'shop' }, 200],
  ['POST', 'services/SERVICE/restart', undefined, 204],
  ['POST', 'services/SERVICE/deploys', { trigger: 'manual' }, 201],
  ['PUT', 'postgres/POSTGRES/allow-list', { ranges: [] }, 200],
  ['GET', 'postgres/POSTGRES/connection', undefined, 200],
  ['GET', 'key-value/KEYVALUE/connection', undefined, 200],
  ['POST', 'postgres/POSTGRES/suspend', undefined, 200],
  ['POST', 'postgres/POSTGRES/resume', undefined, 200],
  ['POST', 'key-value/KEYVALUE/suspend', undefined, 200],
  ['POST', 'key-value/KEYVALUE/resume', undefined, 200],
  ['DELETE', 'key-value/KEYVALUE', undefined, 204],
  ['DELETE', 'postgres/POSTGRES', undefined, 204],
  ['DELETE', 'services/SERVICE', undefined, 204],
] as const;

async function filler(api: ServedApi) {
  const { serviceId, deployId, postgresId, keyValueId } = await stocked(api);
  return (text: string): string =>
    text
      .replaceAll('SERVICE', serviceId)
      .replaceAll('DEPLOY', deployId)
      .replaceAll('POSTGRES', postgresId)
      .replaceAll('KEYVALUE', keyValueId);
}

/** Opens a tail; resolves with all of it once it has ended. */
async function tailText(
  api: ServedApi,
  id: string,
  token: string,
): Promise<{ text: Promise<string> }> {
  const response = await fetch(`${api.rig.baseUrl}${PREFIX}logs/tail?resource=${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    ...[200, 'text/event-stream'],
  ]);
  return { text: response.text() };
}

/** Claims about callers and answers, on both engines. */
const CLAIMS: Claims = {
  'nobody is let in without a token, nor with one that is taken back': async (engine) => {
    const api = await serveApi(engine);
    for (const path of ['workspaces', 'openapi.json', 'nothing']) {
      for (const token of ['', 'wrong']) {
        const { status, headers } = await api.ask(path, { token });
        expect([path, status]).toEqual([path, 401]);
        expect(headers.get('www-authenticate')).toContain('Bearer');
      }
    }
    expect((await api.ask('workspaces', { token: 'alpha' })).status).toBe(200);
    api.grants.delete('alpha');
    expect((await api.ask('workspaces', { token: 'alpha' })).status).toBe(401);
  },

  'what no tool does needs the operator, or a token that names the host': async (engine) => {
    const api = await serveApi(engine);
    const fill = await filler(api);
    const ask = async (token: string, [method, path, body]: (typeof HOST_ACTS)[number]) =>
      api.ask(fill(path), { method, token, ...(body === undefined ? {} : { body }) });
    api.grants.set('all', { tokenId: 'all', toolsets: ['all'] });
    api.grants.set('whole', { tokenId: 'whole' });
    for (const token of ['all', 'whole', 'alpha', 'reader', 'logs', 'hostreader']) {
      for (const act of HOST_ACTS) {
        const { status, value, text } = await ask(token, act);
        expect([token, act[1], status, value.error]).toEqual([token, act[1], 403, 'FORBIDDEN']);
        expect(text).not.toMatch(/postgresql:|redis:/);
      }
    }
    for (const act of HOST_ACTS) {
      expect([act[1], (await ask('hostalpha', act)).status]).toEqual([act[1], act[3]]);
    }
  },

  'a token of reading, or of some tools, does nothing else': async (engine) => {
    const api = await serveApi(engine);
    const fill = await filler(api);
    for (const path of READS) {
      expect((await api.ask(fill(path), { token: 'reader' })).status).toBe(200);
    }
    const changes = [
      ['POST', 'services', { ...SHOP_ORDER, name: 'other' }],
      ['PUT', 'services/SERVICE/env-vars', { envVars: [] }],
      ['POST', 'services/SERVICE/deploys', {}],
    ] as const;
    for (const [method, path, body] of changes) {
      const reader = await api.ask(fill(path), { method, body, token: 'reader' });
      expect([path, reader.status]).toEqual([path, 403]);
      const logs = await api.ask(fill(path), { method, body, token: 'logs' });
      expect(logs.value.message).toContain('The token logs does not include');
    }
    const times = { startTime: '2026-03-01T11:00:00Z', endTime: '2026-03-01T13:00:00Z' };
    const body = { resource: [fill('SERVICE')], ...times };
    for (const token of ['logs', 'reader']) {
      const { status, value } = await api.ask('logs/query', { method: 'POST', body, token });
      expect([status, value.logs.length > 0]).toEqual([200, true]);
    }
    const names = await api.ask(fill('services/SERVICE/env-vars'), { token: 'logs' });
    expect(names.status).toBe(403);
  },

  'a token of one workspace names no other and is told nothing of it': async (engine) => {
    const api = await serveApi(engine);
    const fill = await filler(api);
    const token = 'beta';
    const spaces = await api.ask('workspaces', { token });
    expect(spaces.value).toMatchObject({ items: [{ item: { id: BETA } }], hasMore: false });
    const { cursor } = spaces.value.items[0];
    expect((await api.ask(`workspaces?cursor=${cursor}`, { token })).value.items).toEqual([]);
    const named = [
      [`workspaces/${ALPHA}`, 'GET', undefined],
      [`services?ownerId=${ALPHA}`, 'GET', undefined],
      ['services', 'POST', { ...SHOP_ORDER, name: 'other' }],
    ] as const;
    for (const [path, method, body] of named) {
      const answer = await api.ask(path, { method, token, ...(body && { body }) });
      expect([path, answer.value.error]).toEqual([path, 'FORBIDDEN']);
    }
    const times = { startTime: '2026-03-01T11:00:00Z', endTime: '2026-03-01T13:00:00Z' };
    const foreign = [
      ['services/SERVICE', 'GET', undefined],
      ['services/SERVICE/deploys', 'GET', undefined],
      ['services/SERVICE/deploys', 'POST', {}],
      ['services/SERVICE/deploys/DEPLOY', 'GET', undefined],
      ['services/SERVICE/events', 'GET', undefined],
      ['services/SERVICE/env-vars', 'GET', undefined],
      ['services/SERVICE/env-vars', 'PUT', { envVars: [] }],
      ['logs/query', 'POST', { resource: ['SERVICE'], ...times }],
      ['logs/values', 'POST', { resource: ['POSTGRES'], label: 'type', ...times }],
      ['logs/tail?resource=SERVICE', 'GET', undefined],
      ['metrics/query', 'POST', { resourceId: 'KEYVALUE', type: 'cpu_usage', ...times }],
      ['postgres/POSTGRES', 'GET', undefined],
      ['postgres/POSTGRES/query', 'POST', { sql: 'select 1' }],
      ['key-value/KEYVALUE', 'GET', undefined],
    ] as const;
    for (const [path, method, body] of foreign) {
      const sent = body === undefined ? {} : { body: fill(JSON.stringify(body)) };
      const { status, value } = await api.ask(fill(path), { method, token, ...sent });
      expect([path, method, status, value.error]).toEqual([path, method, 404, 'RESOURCE_UNKNOWN']);
    }
    const own = await api.ask(fill('services/SERVICE'), { token: 'alpha' });
    expect(own.status).toBe(200);
  },

  'a server that only reads changes nothing for anybody': async (engine) => {
    const world = await serveApi(engine);
    const { provider, clock } = world;
    const parts = { provider, clock, isReadOnly: true };
    const api = await serveApi(engine, { hostingApi: parts });
    const made = await api.ask('services', { method: 'POST', body: SHOP_ORDER });
    expect([made.status, made.value.error]).toEqual([403, 'FORBIDDEN']);
    expect((await api.ask('workspaces')).status).toBe(200);
  },

  'the same key and order make one; keys of callers are apart': async (engine) => {
    const api = await serveApi(engine);
    const headers = { 'idempotency-key': 'one' };
    const order = (token: string, name: string) =>
      api.ask('services', { method: 'POST', body: { ...SHOP_ORDER, name }, headers, token });
    const first = await order('alpha', 'a');
    const again = await order('alpha', 'a');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.value.service.id).toBe(first.value.service.id);
    expect((await order('alpha', 'b')).value.error).toBe('INPUT_INVALID');
    expect((await order('host', 'b')).status).toBe(201);
    const patch = { method: 'PATCH', body: {}, headers };
    const other = await api.ask(`services/${first.value.service.id}`, patch);
    expect(other.value.message).toContain('only with create requests');
  },

  'what a record does not name leaves nobody’s hands': async (engine) => {
    const api = await serveApi(engine);
    const fill = await filler(api);
    const id = fill('SERVICE');
    const { get } = api.provider.services;
    Object.assign(api.provider.services, {
      get: async (one: string) => ({ ...(await get(one)), password: SECRET }),
    });
    const { status, text } = await api.ask(`services/${id}`);
    expect([status, text.includes(SECRET)]).toEqual([200, false]);
  },

  'a fault of ours is told to the operator, and its detail to nobody else': async (engine) => {
    const world = await serveApi(engine);
    const { provider, clock } = world;
    const faults: string[] = [];
    const broken = { ...provider, listFeatures: () => Promise.reject(new TypeError(SECRET)) };
    const onFault = (_error: unknown, operation: string) => faults.push(operation);
    const parts = { provider: broken, clock, isReadOnly: false, onFault };
    const api = await serveApi(engine, { hostingApi: parts });
    const { status, value, text } = await api.ask('abilities');
    expect([status, value.error, text.includes(SECRET)]).toEqual([500, 'INTERNAL', false]);
    expect(faults).toEqual(['getAbilities']);
  },

  'a token is held to the rates of callers, the operator is not': async (engine) => {
    const toolCallRate = { perMinute: 60, burst: 2 };
    const api = await serveApi(engine, { limits: { toolCallRate } });
    const order = (token: string | undefined, at: number) => {
      const body = { ...SHOP_ORDER, name: `${token}-${at}` };
      return api.ask('services', { method: 'POST', body, ...(token && { token }) });
    };
    for (const at of [0, 1]) expect((await order('alpha', at)).status).toBe(201);
    const { status, value, headers } = await order('alpha', 2);
    expect([status, value.error]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (const at of [0, 1, 2]) expect((await order(undefined, at)).status).toBe(201);
  },
};

/** Claims about tails. */
const TAILS: Claims = {
  'it ends when its token is taken back': async (engine) => {
    const api = await serveApi(engine);
    const fill = await filler(api);
    const { text } = await tailText(api, fill('SERVICE'), 'alpha');
    await expect.poll(() => api.rig.front.load().streams, { timeout: 30_000 }).toBe(1);
    await api.clock.advance(15_000);
    expect(api.rig.front.load().streams).toBe(1);
    api.grants.delete('alpha');
    await api.clock.advance(15_000);
    expect(await text).toContain(': quiet');
    await expect.poll(() => api.rig.front.load().streams, { timeout: 30_000 }).toBe(0);
  },

  'it ends when the server does': async (engine) => {
    const api = await serveApi(engine);
    const fill = await filler(api);
    const { text } = await tailText(api, fill('SERVICE'), 'alpha');
    await expect.poll(() => api.rig.front.load().streams, { timeout: 30_000 }).toBe(1);
    await api.rig.front.close();
    await text;
  },

  'a token has so many at once, and those that leave make room': async (engine) => {
    const api = await serveApi(engine);
    const fill = await filler(api);
    const path = `${api.rig.baseUrl}${PREFIX}logs/tail?resource=${fill('SERVICE')}`;
    const leave = new AbortController();
    const headers = { authorization: 'Bearer alpha' };
    const tail = () => fetch(path, { headers, signal: leave.signal });
    for (let count = 0; count < 16; count += 1) expect((await tail()).status).toBe(200);
    const refused = await tail();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    leave.abort();
    await expect.poll(() => api.rig.front.load().streams, { timeout: 30_000 }).toBe(0);
    const again = new AbortController();
    await expect
      .poll(async () => (await fetch(path, { headers, signal: again.signal })).status, {
        timeout: 30_000,
      })
      .toBe(200);
    again.abort();
  },
};

describe.each(ENGINES)('%s', (engine) => {
  test.each(Object.entries({ ...CLAIMS, ...TAILS }))(
    '%s',
    { timeout: TIMEOUT_MS },
    async (_name, run) => run(engine),
  );
});
