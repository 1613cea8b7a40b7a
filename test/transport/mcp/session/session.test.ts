import { expect } from 'vitest';
import { sendRaw } from '../../../support/raw-http.ts';
import { claimer } from '../each-engine.ts';
import { Wire } from '../wire.ts';

const claim = claimer();

for (const [wish, given] of [
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-06-18'],
  ['2025-03-26', '2025-03-26'],
  ['2024-11-05', '2024-11-05'],
  ['2024-10-07', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
  ['2099-01-01', '2025-11-25'],
  ['', '2025-11-25'],
] as const) {
  claim(`a wish for ${wish} is answered with ${given}`, async ({ rig }) => {
    const wire = new Wire(rig);
    const { result } = await wire.open(wish);
    expect(result.protocolVersion).toBe(given);
    expect(result.capabilities).toEqual({ tools: {}, resources: {} });
    expect(result.serverInfo).toEqual({
      name: 'stoa-commerce',
      title: 'Test tools',
      version: '0.0.1',
      icons: [
        {
          src: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
          mimeType: 'image/svg+xml',
          sizes: ['any'],
        },
      ],
    });
    expect(wire.sessionId).toMatch(/^[0-9a-f]{11}[\w-]{24}$/);
  });
}

claim('the lean methods answer', async ({ wire }) => {
  expect(await wire.ask('ping', {}, 'p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  const list = await wire.ask('tools/list', {}, 7);
  expect(list.id).toBe(7);
  expect(list.result.tools.map(({ name }: { name: string }) => name)).toContain('echo');
  expect((await wire.ask('resources/list')).result).toEqual({ resources: [] });
  expect((await wire.ask('resources/templates/list')).result.resourceTemplates).toHaveLength(1);
  const read = await wire.ask('resources/read', { uri: 'note://known' });
  expect(read.result.contents[0].text).toBe('a note');
  const echo = (await (await wire.call('echo', { a: 1 })).json()) as { result: unknown };
  expect(echo.result).toMatchObject({ content: [{ type: 'text', text: '{"a":1}' }] });
});

claim('lists of two sessions do not mix their ids', async ({ wire }) => {
  const ids = ['one', 2, 'x'.repeat(250), 3];
  const answers = await Promise.all(ids.map((id) => wire.ask('tools/list', {}, id)));
  expect(answers.map(({ id }) => id)).toEqual(ids);
});

claim('faults of a request are JSON-RPC errors', async ({ wire }) => {
  const code = async (method: string, params: object) =>
    (await wire.ask(method, params)).error?.code;
  expect(await code('nothing/here', {})).toBe(-32_601);
  expect(await code('completion/complete', {})).toBe(-32_601);
  expect(await code('logging/setLevel', { level: 'info' })).toBe(-32_601);
  expect(await code('tools/call', { name: 'no_such_tool' })).toBe(-32_602);
  expect(await code('tools/call', { arguments: {} })).toBe(-32_602);
  expect(await code('tools/call', { name: 'echo', arguments: [] })).toBe(-32_602);
  expect(await code('tools/list', { cursor: 'x' })).toBe(-32_602);
  expect(await code('resources/read', { uri: 'note://unknown' })).toBe(-32_002);
  expect(await code('resources/read', {})).toBe(-32_602);
});

claim('a tool that throws answers an internal error without its reason', async ({ wire }) => {
  const text = await (await wire.call('broken')).text();
  expect(text).toContain('-32603');
  expect(text).not.toContain('inside');
});

claim('every refusal of the transport has its status and code', async ({ start }) => {
  const wire = new Wire(await start({ limits: { bodyBytesMax: 2_000 } }));
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const seen = async (response: Response) => {
    const body = (await response.json()) as { error: { code: number }; id: unknown };
    return [response.status, body.error.code, body.id];
  };
  expect(await seen(await wire.post(ping))).toEqual([400, -32_000, null]);
  wire.sessionId = 'unknown';
  expect(await seen(await wire.post(ping))).toEqual([404, -32_001, null]);
  wire.sessionId = undefined;
  await wire.open();
  expect(await seen(await wire.post('{'))).toEqual([400, -32_700, null]);
  expect(await seen(await wire.post('7'))).toEqual([400, -32_600, null]);
  expect(await seen(await wire.post({ id: 1, method: 'ping' }))).toEqual([400, -32_600, null]);
  expect(await seen(await wire.post({ ...ping, id: null }))).toEqual([400, -32_600, null]);
  expect(await seen(await wire.post({ ...ping, id: 1.5 }))).toEqual([400, -32_600, null]);
  expect(await seen(await wire.post({ ...ping, params: [] }))).toEqual([400, -32_600, null]);
  const text = { headers: { 'content-type': 'text/plain' } };
  expect(await seen(await wire.post(ping, text))).toEqual([415, -32_000, null]);
  const half = { headers: { accept: 'application/json' } };
  expect(await seen(await wire.post(ping, half))).toEqual([406, -32_000, null]);
  const version = { headers: { 'mcp-protocol-version': '2030-01-01' } };
  expect(await seen(await wire.post(ping, version))).toEqual([400, -32_000, null]);
  const modern = { headers: { 'mcp-protocol-version': '2026-07-28' } };
  expect(await seen(await wire.post(ping, modern))).toEqual([400, -32_000, null]);
  const again = { ...ping, method: 'initialize' };
  expect(await seen(await wire.post(again))).toEqual([400, -32_600, null]);
  expect((await wire.plain('GET', { accept: 'application/json' })).status).toBe(406);
  expect((await wire.post('x'.repeat(2_001))).status).toBe(413);
  const put = await wire.plain('PUT', { 'content-length': '0' });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE, OPTIONS']);
  expect((await wire.plain('HEAD')).status).toBe(405);
});

claim('initialize without facts about the client is refused', async ({ rig }) => {
  const wire = new Wire(rig);
  const init = (params: object) =>
    wire.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const clientInfo = { name: 'c', version: '1' };
  const whole = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  expect((await init(whole)).status).toBe(200);
  expect((await init({ ...whole, clientInfo: { name: 'c' } })).status).toBe(400);
  expect((await init({ ...whole, capabilities: undefined })).status).toBe(400);
  expect((await init({ ...whole, protocolVersion: 1 })).status).toBe(400);
  const long = { x: 'y'.repeat(10_000) };
  expect((await init({ ...whole, capabilities: long })).status).toBe(400);
});

claim('notifications and responses are 202 without a body', async ({ wire }) => {
  for (const body of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/anything', params: {} },
    { jsonrpc: '2.0', id: 5, result: {} },
    { jsonrpc: '2.0', id: 5, error: { code: 1, message: 'no' } },
  ]) {
    const response = await wire.post(body);
    expect([response.status, await response.text()]).toEqual([202, '']);
  }
});

claim('a deleted session is gone', async ({ wire }) => {
  expect((await wire.plain('DELETE')).status).toBe(200);
  expect((await wire.plain('DELETE')).status).toBe(404);
  expect((await wire.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
});

claim('a session belongs to its endpoint', async ({ rig }) => {
  const wire = new Wire(rig);
  await wire.open();
  const other = new Wire(rig, '/v2/');
  other.sessionId = wire.sessionId;
  expect((await other.plain('DELETE')).status).toBe(404);
});

claim(
  'hosts and origins from elsewhere are refused, own ones may read the answer',
  async ({ start }) => {
    const rig = await start({ allowedOrigins: ['https://console.example'] });
    const wire = new Wire(rig);
    const withOrigin = (origin: string) => wire.plain('GET', { origin });
    expect((await withOrigin('https://evil.example')).status).toBe(403);
    expect((await withOrigin('null')).status).toBe(403);
    expect((await withOrigin('https://localhost.evil.example')).status).toBe(403);
    expect((await withOrigin('http://localhost:3000')).status).toBe(403);
    for (const origin of [`http://localhost:${rig.port}`, 'https://console.example']) {
      const response = await withOrigin(origin);
      expect(response.status).toBe(400);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('access-control-expose-headers')).toContain('Mcp-Session-Id');
    }
    for (const host of ['evil.example', `127.0.0.1.evil.example:${rig.port}`, '192.0.2.1']) {
      const { statuses } = await sendRaw(
        rig.port,
        [`GET /v1/mcp HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
        100,
      );
      expect(statuses).toEqual([403]);
    }
  },
);

claim('a preflight from an own page is answered, from elsewhere refused', async ({ rig }) => {
  const strange = 'http://127.0.0.1:9';
  const ask = (origin: string) =>
    fetch(`${rig.baseUrl}/v1/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, mcp-session-id',
      },
    });
  const own = await ask(rig.baseUrl);
  expect(own.status).toBe(204);
  expect(own.headers.get('access-control-allow-methods')).toContain('POST');
  expect(own.headers.get('access-control-allow-headers')).toBe('content-type, mcp-session-id');
  for (const origin of ['https://evil.example', strange]) {
    expect((await ask(origin)).status).toBe(403);
  }
});

claim('sessions have a bound in total', async ({ start }) => {
  const rig = await start({ limits: { sessionsMax: 2 } });
  const wires = [new Wire(rig), new Wire(rig), new Wire(rig)] as const;
  await wires[0].open();
  await wires[1].open();
  const refused = await wires[2].post({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    },
  });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
  await wires[0].plain('DELETE');
  expect((await wires[2].open()).result.protocolVersion).toBe('2025-11-25');
});

claim('remote addresses have a bound of their own', async ({ start }) => {
  const rig = await start({
    limits: { sessionsPerPrincipalMax: 1 },
    trustedProxies: ['127.0.0.1'],
  });
  const from = async (address: string) => {
    const wire = new Wire(rig);
    wire.headers = { 'x-forwarded-for': address };
    await wire.open();
    return wire.sessionId !== undefined;
  };
  expect(await from('203.0.113.1')).toBe(true);
  expect(await from('203.0.113.1')).toBe(false);
  expect(await from('203.0.113.2')).toBe(true);
});

claim('a session from before a restart goes on', async ({ start }) => {
  const first = await start();
  const wire = new Wire(first);
  await wire.open('2025-06-18');
  await first.front.close();
  const { sessions, events } = first.options;
  const second = await start({ sessions, events });
  const again = new Wire(second);
  again.sessionId = wire.sessionId;
  expect((await again.ask('ping')).result).toEqual({});
});

claim('the hosting server asks for the token and believes no unlisted proxy', async ({ rig }) => {
  const wire = new Wire(rig, '/hosting/mcp');
  const init = (headers: Record<string, string>) => wire.post('{', { headers });
  const bare = await init({});
  expect([bare.status, bare.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="stoa"']);
  expect((await init({ authorization: 'Bearer wrong' })).status).toBe(401);
  const authorization = 'Bearer operator-token-of-the-test';
  const forged = await init({ authorization, 'x-forwarded-for': '10.0.0.1' });
  expect(forged.status).toBe(403);
  wire.headers = { authorization };
  expect((await wire.open()).result.serverInfo.name).toBe('stoa-hosting');
  await wire.call('echo');
  expect(rig.hosting.calls[0]?.principal).toEqual({ kind: 'local', id: 'operator' });
});

claim('the health address answers, with the safety headers', async ({ rig }) => {
  const { baseUrl } = rig;
  const response = await fetch(`${baseUrl}/healthz`);
  expect([response.status, await response.text()]).toEqual([200, 'ok\n']);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect((await fetch(`${baseUrl}/healthz`, { method: 'HEAD' })).status).toBe(200);
});
