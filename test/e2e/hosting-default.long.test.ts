import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { stopHosting } from '../../src/process/hosting/stop-hosting.ts';
import { detectIsolation, listMissing } from '../../src/providers/hosting/local/isolation.ts';
import { cleanUp, freshDataDir, type RealServer, startRealServer } from '../support/real-server.ts';

// What a newcomer meets who starts a server and has asked for no hosting.

afterAll(cleanUp);

const WORKSPACE = { workspaceId: 'tea-88n7e0r0f7giud6uvk05', name: 'first' };
const PROGRAM = { runtime: 'node', buildCommand: 'true', startCommand: 'node .' };
/** The creating tools, each with a call of it. */
const CREATORS: Readonly<Record<string, object>> = {
  create_web_service: PROGRAM,
  create_static_site: { buildCommand: 'true', publishPath: '.' },
  create_cron_job: { ...PROGRAM, schedule: '0 * * * *' },
  create_postgres: { plan: 'free' },
  create_key_value: { plan: 'free' },
};
const isIsolated = listMissing(detectIsolation(process.env)).length === 0;

async function connect({ ready }: RealServer): Promise<Client> {
  const authorization = `Bearer ${readFileSync(ready.token_file, 'utf8').trim()}`;
  const client = new Client({ name: 'newcomer', version: '1' });
  const url = new URL(ready.hosting_mcp ?? '');
  const requestInit = { headers: { authorization } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

test.runIf(isIsolated)(
  'hosting opens with the first call, and with the start from then on',
  {
    timeout: 240_000,
  },
  async () => {
    const dataDir = freshDataDir();
    const router = join(dataDir, 'hosting', 'router');
    const server = await startRealServer(dataDir);
    onTestFinished(async () => void (await stopHosting(dataDir)));
    const client = await connect(server);
    expect((await client.listTools()).tools).toHaveLength(26);
    expect(existsSync(router)).toBe(false);
    const { structuredContent } = await client.callTool({ name: 'list_workspaces', arguments: {} });
    expect(structuredContent).toMatchObject({ workspaces: [{ name: 'default' }] });
    expect(existsSync(router)).toBe(true);
    await server.stop();

    const again = await startRealServer(dataDir);
    expect(again.errors()).toContain('hosted programs are isolated at level user');
    await again.stop();
  },
);

test('where programs cannot be isolated, the tools are listed and name the command', {
  timeout: 240_000,
}, async () => {
  const dataDir = freshDataDir();
  const server = await startRealServer(dataDir, [], { PATH: '/nonexistent' });
  const client = await connect(server);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith('create_'));
  expect(names.toSorted()).toEqual(Object.keys(CREATORS).toSorted());
  for (const [name, args] of Object.entries(CREATORS)) {
    const refused = await client.callTool({ name, arguments: { ...WORKSPACE, ...args } });
    expect(refused.isError, name).toBe(true);
    expect(refused.structuredContent, name).toMatchObject({ error: 'NOT_CONFIGURED' });
    expect(JSON.stringify(refused.content)).toContain('stoa serve --trust-repositories');
  }
  expect(existsSync(join(dataDir, 'hosting'))).toBe(false);
  expect(await server.stop()).toBe(0);
});
