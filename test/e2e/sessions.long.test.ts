import { afterAll, expect, test } from 'vitest';
import { cleanUp, freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';

afterAll(cleanUp);

async function post(server: RealServer, headers: Record<string, string>, body: object) {
  return fetch(server.ready.mcp_v1, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    signal: AbortSignal.timeout(30_000),
  });
}

test('a session of a server that was stopped goes on at the next one', {
  timeout: 120_000,
}, async () => {
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir);
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'e', version: '1' },
  };
  const hello = await post(server, {}, { id: 0, method: 'initialize', params });
  const session = {
    'mcp-session-id': hello.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-06-18',
  };
  expect((await post(server, session, { id: 1, method: 'tools/list' })).status).toBe(200);
  expect(await server.stop()).toBe(0);

  server = await startRealServer(dataDir);
  const again = await post(server, session, { id: 2, method: 'tools/list' });
  expect(again.status).toBe(200);
  expect(await again.json()).toMatchObject({ id: 2, result: { tools: expect.any(Array) } });
  const stranger = await post(
    server,
    { 'mcp-session-id': 'x'.repeat(48) },
    { id: 3, method: 'ping' },
  );
  expect(stranger.status).toBe(404);
  await server.stop();
});

test('an unknown path, a wrong method and the faucet without its token are refused', {
  timeout: 60_000,
}, async () => {
  const { ready } = await startRealServer(freshDataDir());
  expect((await fetch(`${ready.base_url}/nowhere`)).status).toBe(404);
  expect((await fetch(`${ready.base_url}/v1/mcp`, { method: 'PUT' })).status).toBe(405);
  const bare = await fetch(`${ready.base_url}/dev/faucet`, { method: 'POST', body: '{}' });
  expect(bare.status).toBe(401);
  expect(await (await fetch(`${ready.base_url}/healthz`)).text()).toContain('ok');
});
