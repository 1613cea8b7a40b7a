import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../../src/transport/mcp/session/memory-state.ts';
import { SHOP } from '../../support/called-hosting.ts';
import { ENGINES } from '../../support/engines.ts';
import { TOKEN } from '../../support/front-rig.ts';
import { WORKSPACES } from '../../support/hosting-world.ts';
import { proves } from '../../support/proves.ts';
import { type ServedHosting, serveHosting } from '../../support/served-hosting.ts';
import { TOOL_NAMES } from '../../tidy/tool-names.ts';
import type { Wire } from '../mcp/wire.ts';

const [ALPHA, BETA] = [WORKSPACES[0].id, WORKSPACES[1].id];
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const MODERN = '2026-07-28';

/** Calls a tool and reads its structured content. */
async function ask(wire: Wire, name: string, args: object = {}) {
  const { result, error } = await wire.ask('tools/call', { name, arguments: args });
  return { value: result?.structuredContent, error, isError: result?.isError === true };
}

async function opened(served: ServedHosting, token?: string): Promise<Wire> {
  const wire = served.wire(token);
  await wire.open();
  return wire;
}

async function listed(wire: Wire): Promise<readonly string[]> {
  const { result } = await wire.ask('tools/list');
  return result.tools.map(({ name }: { name: string }) => name);
}

test.each(ENGINES)(
  'an SDK client makes a service, follows its deploy and reads all of it (%s)',
  async (engine) => {
    proves('H1.i5.c1');
    const served = await serveHosting(engine);
    const url = new URL(`${served.rig.baseUrl}/hosting/mcp`);
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    const client = new Client({ name: 'test', version: '1' }, {});
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES.hosting);
    // The client holds each answer against the output schema of its tool, refusals too.
    const call = async (name: string, args: object = {}) => {
      const answer = await client.callTool({ name, arguments: { workspaceId: ALPHA, ...args } });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
      return { isError: answer.isError === true, value: answer.structuredContent as any };
    };
    const { value } = await call('create_web_service', SHOP);
    const serviceId = value.service.id;
    const { deployId } = value;
    await served.clock.advance(60_000);
    const deploy = await call('get_deploy', { serviceId, deployId });
    expect(deploy.value.deploy.status).toBe('live');
    const made = await call('create_postgres', { name: 'p', plan: 'free' });
    const cache = await call('create_key_value', { name: 'k', plan: 'free' });
    await served.clock.advance(60_000);
    for (const [name, args] of [
      ['list_services', {}],
      ['get_service', { serviceId }],
      ['update_web_service', { serviceId }],
      ['list_deploys', { serviceId }],
      ['list_events', { serviceId }],
      ['list_logs', { resource: [serviceId] }],
      ['list_log_label_values', { label: 'type', resource: [serviceId] }],
      ['get_metrics', { resourceId: serviceId, metricTypes: ['cpu_usage', 'http_latency'] }],
      ['list_postgres_instances', {}],
      ['get_postgres', { postgresId: made.value.postgres.id }],
      ['list_key_value', {}],
      ['get_key_value', { keyValueId: cache.value.keyValue.id }],
      ['update_environment_variables', { serviceId, envVars: [{ key: 'A', value: 'b' }] }],
      ['trigger_deploy', { serviceId }],
    ] as const) {
      expect([name, (await call(name, args)).isError]).toEqual([name, false]);
    }
    const refused = await call('query_hosted_postgres', {
      postgresId: made.value.postgres.id,
      sql: 'select 1',
    });
    expect(refused.value.error).toBe('SQL_REFUSED');
    await client.close();
  },
);

test.each(ENGINES)(
  'no token, another token, and a token elsewhere: nobody is let in (%s)',
  async (engine) => {
    proves('H5.s1');
    const served = await serveHosting(engine);
    for (const authorization of ['', 'Bearer ', 'Bearer wrong', `Basic ${TOKEN}`, TOKEN]) {
      const wire = served.wire();
      wire.headers = authorization === '' ? {} : { authorization };
      const response = await wire.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect([authorization, response.status]).toEqual([authorization, 401]);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
    }
    const query = `${served.rig.baseUrl}/hosting/mcp?token=${TOKEN}&access_token=${TOKEN}`;
    expect((await fetch(query, { method: 'POST', body: '{}' })).status).toBe(401);
  },
);

test.each(ENGINES)('there are no REST paths beside the tools (%s)', async (engine) => {
  proves('H4.s2');
  const { rig } = await serveHosting(engine);
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (const path of ['', 'services', 'api/v1/services', 'api/v1/openapi.json']) {
    const { status } = await fetch(`${rig.baseUrl}/hosting/${path}`, { headers });
    expect([path, status]).toEqual([path, 404]);
  }
});

test.each(ENGINES)('each of the four versions begins with initialize (%s)', async (engine) => {
  const served = await serveHosting(engine);
  for (const version of VERSIONS) {
    const wire = served.wire();
    const { result } = await wire.open(version);
    expect(result.protocolVersion).toBe(version);
    expect(result.serverInfo.name).toBe('stoa-hosting');
    expect(await listed(wire)).toEqual(TOOL_NAMES.hosting);
  }
});

test.each(ENGINES)(
  '2026-07-28 is refused with the versions that there are (%s)',
  async (engine) => {
    const served = await serveHosting(engine);
    const wire = served.wire();
    const meta = { 'io.modelcontextprotocol/protocolVersion': MODERN };
    const asked = [
      [{ jsonrpc: '2.0', id: 7, method: 'server/discover', params: { _meta: meta } }, {}],
      [{ jsonrpc: '2.0', id: 7, method: 'tools/list' }, { 'mcp-protocol-version': MODERN }],
    ] as const;
    for (const [body, headers] of asked) {
      const response = await wire.post(body, { headers });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        id: 7,
        error: { code: -32_022, data: { supported: VERSIONS, requested: MODERN } },
      });
    }
  },
);

test.each(ENGINES)(
  'a client that asks for the newest first comes down to the handshake (%s)',
  async (engine) => {
    const served = await serveHosting(engine);
    const url = new URL(`${served.rig.baseUrl}/hosting/mcp`);
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    );
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    expect((await client.listTools()).tools).toHaveLength(26);
    await client.close();
  },
);

test.each(ENGINES)('a selection belongs to its session and ends with it (%s)', async (engine) => {
  const served = await serveHosting(engine);
  const first = await opened(served);
  const second = await opened(served);
  await ask(first, 'select_workspace', { ownerID: BETA });
  expect((await ask(first, 'get_selected_workspace')).value).toEqual({ selected: BETA });
  expect((await ask(first, 'list_services')).value.services).toEqual([]);
  const other = await ask(second, 'list_services');
  expect(other.value).toMatchObject({
    error: 'WORKSPACE_REQUIRED',
    data: { last_selected: BETA },
  });
  expect((await first.plain('DELETE')).status).toBe(200);
  const third = await opened(served);
  const after = await ask(third, 'get_selected_workspace');
  expect(after.value).toEqual({ selected: null, lastSelected: BETA });
});

test.each(ENGINES)('a selection outlives a restart with its session (%s)', async (engine) => {
  const sessions = new MemorySessionStore();
  const before = await serveHosting(engine, { sessions });
  const wire = await opened(before);
  await ask(wire, 'select_workspace', { ownerID: ALPHA });
  await before.rig.front.close();
  const after = await serveHosting(engine, { sessions });
  const again = after.wire();
  again.sessionId = wire.sessionId;
  expect((await ask(again, 'get_selected_workspace')).value).toEqual({ selected: ALPHA });
});

test.each(ENGINES)('a token of one workspace names no other and sees none (%s)', async (engine) => {
  const served = await serveHosting(engine);
  const operator = await opened(served);
  const shop = await ask(operator, 'create_web_service', { ...SHOP, workspaceId: ALPHA });
  const serviceId = shop.value.service.id;
  const beta = await opened(served, 'beta');
  const spaces = await ask(beta, 'list_workspaces');
  expect(spaces.value.workspaces.map(({ id }: { id: string }) => id)).toEqual([BETA]);
  const named = await ask(beta, 'list_services', { workspaceId: ALPHA });
  expect(named.value.error).toBe('FORBIDDEN');
  const foreign = await ask(beta, 'get_service', { workspaceId: BETA, serviceId });
  expect(foreign.value.error).toBe('RESOURCE_UNKNOWN');
  const alpha = await opened(served, 'alpha');
  const own = await ask(alpha, 'get_service', { workspaceId: ALPHA, serviceId });
  expect(own.value.service.id).toBe(serviceId);
  expect((await ask(alpha, 'get_selected_workspace')).value).toEqual({ selected: null });
});

test.each(ENGINES)(
  'a token of some tools, or for reading, lists and calls nothing else (%s)',
  async (engine) => {
    const served = await serveHosting(engine);
    const logs = await opened(served, 'logs');
    expect([...(await listed(logs))].sort()).toEqual(
      ['list_workspaces', 'select_workspace', 'get_selected_workspace', 'list_logs']
        .concat('list_log_label_values')
        .sort(),
    );
    const outside = await ask(logs, 'list_services', { workspaceId: ALPHA });
    expect(outside.error?.message).toContain('list_services');
    const reader = await opened(served, 'reader');
    expect(await listed(reader)).not.toContain('create_web_service');
    const made = await ask(reader, 'create_web_service', { ...SHOP, workspaceId: ALPHA });
    expect(made.error).toBeDefined();
    const asking = served.wire('logs');
    asking.headers = { ...asking.headers, 'x-mcp-toolsets': 'all' };
    await asking.open();
    expect(await listed(asking)).toHaveLength(5);
  },
);

test.each(ENGINES)('a session is the caller’s who began it (%s)', async (engine) => {
  const served = await serveHosting(engine);
  const operator = await opened(served);
  await ask(operator, 'select_workspace', { ownerID: ALPHA });
  for (const token of ['alpha', 'logs']) {
    const thief = served.wire(token);
    thief.sessionId = operator.sessionId;
    const response = await thief.call('list_services', {});
    expect([token, response.status]).toEqual([token, 404]);
    expect((await thief.plain('DELETE')).status).toBe(404);
  }
  expect((await ask(operator, 'list_services')).isError).toBe(false);
});

test.each(ENGINES)(
  'a token that is taken back is refused from the next request on (%s)',
  async (engine) => {
    const served = await serveHosting(engine);
    const alpha = await opened(served, 'alpha');
    expect((await ask(alpha, 'list_services', { workspaceId: ALPHA })).isError).toBe(false);
    served.grants.delete('alpha');
    expect((await alpha.call('list_services', { workspaceId: ALPHA })).status).toBe(401);
  },
);

test.each(ENGINES)(
  'one that is taken back while its body is on the way is granted nothing (%s)',
  async (engine) => {
    let asked = Number.NEGATIVE_INFINITY;
    const grant = { tokenId: 'late', workspaceId: ALPHA };
    // The first look lets the head pass; when the body is there, the token is gone.
    const grantOf = () => {
      asked += 1;
      return asked <= 1 ? grant : undefined;
    };
    const served = await serveHosting(engine, { grantOf });
    const wire = served.wire('late');
    await wire.open();
    asked = 0;
    const answer = await wire.call('list_services', { workspaceId: ALPHA });
    const { result } = (await answer.json()) as { result?: unknown };
    expect([answer.status, result]).toEqual([404, undefined]);
  },
);

test.each(ENGINES)(
  'a scoped token is held to the rates of callers, the operator is not (%s)',
  async (engine) => {
    const toolCallRate = { perMinute: 60, burst: 2 };
    const served = await serveHosting(engine, { limits: { toolCallRate } });
    const alpha = await opened(served, 'alpha');
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1) {
      const args = { workspaceId: ALPHA, name: `s${at}`, buildCommand: 'true' };
      statuses.push((await alpha.call('create_static_site', args)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    const operator = await opened(served);
    for (let at = 0; at < 4; at += 1) {
      const args = { workspaceId: BETA, name: `s${at}`, buildCommand: 'true' };
      expect((await operator.call('create_static_site', args)).status).toBe(200);
    }
  },
);
