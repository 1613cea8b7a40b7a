import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { startStoa } from '../../src/main.ts';
import { createToken, revokeToken } from '../../src/process/hosting/hosting-tokens.ts';
import { localAddress } from '../../src/process/server/data-lock.ts';
import type { Stoa } from '../../src/process/server/stoa.ts';
import { readToken } from '../../src/process/server/token-file.ts';
import { runStdioClient } from '../../src/process/stdio/stdio-client.ts';
import { systemRandom } from '../support/front-rig.ts';
import { createMemoryHosting } from '../support/hosting-memory/memory-hosting.ts';
import { WORKSPACES } from '../support/hosting-world.ts';
import { tempDir } from '../support/temp-dir.ts';
import { greeting } from '../support/wire-session.ts';

const TIMEOUT_MS = 240_000;
const [ALPHA, BETA] = WORKSPACES;

/** A whole server in this process; hosting over memory where a test wants it, else off. */
async function start(isHosting: boolean): Promise<{ stoa: Stoa; dataDir: string }> {
  const { path: dataDir, remove } = tempDir();
  const more = ['--hosting', 'off', '--console-actions', 'hosting'];
  const flags = ['--port', '0', '--data', dataDir, ...more];
  const config = parseConfig(flags, {});
  const stoa = await startStoa(config, () => undefined, {
    ...(isHosting && {
      hosting: async (clock, origin) =>
        createMemoryHosting({ clock, random: systemRandom, workspaces: WORKSPACES, origin }),
    }),
  });
  onTestFinished(async () => {
    await stoa.close();
    remove();
  });
  return { stoa, dataDir };
}

/** Begins a session and calls one tool. */
async function ask(url: string, token: string, name: string, args: object) {
  const post = (message: object, sessionId?: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const hello = await post({ id: 0, method: 'initialize', params: greeting('2025-11-25') });
  const sessionId = hello.headers.get('mcp-session-id') ?? undefined;
  if (sessionId === undefined) return { status: hello.status, value: undefined };
  const call = { id: 1, method: 'tools/call', params: { name, arguments: args } };
  const answer = await post(call, sessionId);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  const { result } = (await answer.json()) as any;
  return { status: answer.status, value: result?.structuredContent };
}

/** Speaks over the local socket, as `stoa stdio --server hosting` does. */
function overStdio(dataDir: string) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = runStdioClient({
    server: 'hosting',
    input,
    output,
    reach: async () => ({ address: localAddress(dataDir), token: readToken(dataDir) }),
  });
  const first = new Promise<string>((resolve) => {
    output.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8')));
  });
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: greeting('2025-11-25') };
  input.write(`${JSON.stringify(hello)}\n`);
  return { first, ended, end: () => input.end() };
}

test('a server with a provider hosts, over HTTP and stdio, for tokens of its making', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { stoa, dataDir } = await start(true);
  const url = stoa.ready.hosting_mcp ?? '';
  expect(url).toBe(`${stoa.ready.base_url}/hosting/mcp`);
  const own = await ask(url, readToken(dataDir), 'list_workspaces', {});
  expect(own.value.workspaces).toEqual(WORKSPACES);
  const { token, row } = createToken(dataDir, {
    name: 'ci',
    isReadOnly: true,
    workspaceId: ALPHA.id,
  });
  const listed = await ask(url, token, 'list_services', { workspaceId: ALPHA.id });
  expect(listed.value.services).toEqual([]);
  const other = await ask(url, token, 'list_services', { workspaceId: BETA.id });
  expect(other.value.error).toBe('FORBIDDEN');
  revokeToken(dataDir, row.id);
  expect((await ask(url, token, 'list_workspaces', {})).status).toBe(401);
  const { first, ended, end } = overStdio(dataDir);
  expect(JSON.parse(await first).result.serverInfo.name).toBe('stoa-hosting');
  end();
  await ended;
});

test('the link of update_web_service leads to settings that can be changed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { stoa, dataDir } = await start(true);
  const { hosting_mcp: url, base_url: base } = stoa.ready;
  const tool = (name: string, args: object) =>
    ask(url ?? '', readToken(dataDir), name, { workspaceId: ALPHA.id, ...args });
  const order = { name: 'linked', runtime: 'node', buildCommand: 'true', startCommand: 'node .' };
  const serviceId = (await tool('create_web_service', order)).value.service.id;
  const { settingsUrl } = (await tool('update_web_service', { serviceId })).value;
  expect(settingsUrl).toBe(`${base}/console/hosting/services/${serviceId}/settings`);
  const changed = await fetch(`${base}/inspect/hosting/services/${serviceId}/settings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readToken(dataDir)}` },
    body: JSON.stringify({ numInstances: 2 }),
  });
  expect(changed.status).toBe(200);
  const { service } = (await tool('get_service', { serviceId })).value;
  expect(service.serviceDetails.numInstances).toBe(2);
});

test('a server without a provider hosts nothing and says so', { timeout: TIMEOUT_MS }, async () => {
  const { stoa, dataDir } = await start(false);
  expect(stoa.ready.hosting_mcp).toBeNull();
  const url = `${stoa.ready.base_url}/hosting/mcp`;
  expect((await ask(url, readToken(dataDir), 'list_workspaces', {})).status).toBe(404);
  const told = await fetch(`${stoa.ready.base_url}/inspect/hosting`, {
    headers: { authorization: `Bearer ${readToken(dataDir)}` },
  });
  expect(await told.json()).toMatchObject({ error: 'NOT_CONFIGURED' });
  await expect(overStdio(dataDir).ended).rejects.toMatchObject({
    code: 'NOT_CONFIGURED',
    message: expect.stringContaining('No hosting provider'),
  });
});
