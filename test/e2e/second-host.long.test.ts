import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Environment, parseConfig } from '../../src/config.ts';
import { type ServerOverrides, type Stoa, startStoa } from '../../src/main.ts';
import { createToken, revokeToken } from '../../src/process/hosting/hosting-tokens.ts';
import { readToken } from '../../src/process/server/token-file.ts';
import { SHOP } from '../support/called-hosting.ts';
import { systemRandom } from '../support/front-rig.ts';
import { createMemoryHosting } from '../support/hosting-memory/memory-hosting.ts';
import { WORKSPACES } from '../support/hosting-world.ts';
import { tempDir } from '../support/temp-dir.ts';
import { greeting } from '../support/wire-session.ts';

const TIMEOUT_MS = 240_000;
const [ALPHA] = WORKSPACES;

/** A whole server in this process. */
async function start(
  dataDir: string,
  env: Environment,
  outside: ServerOverrides = {},
): Promise<Stoa> {
  const config = parseConfig(['--port', '0', '--data', dataDir], env);
  const stoa = await startStoa(config, () => undefined, outside);
  onTestFinished(() => stoa.close());
  return stoa;
}

function folder(): string {
  const { path, remove } = tempDir();
  onTestFinished(remove);
  return path;
}

/** Begins a session and gives what calls a tool in it. */
async function session(url: string, token: string) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
  };
  const post = (message: object, more: object = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const hello = await post({ id: 0, method: 'initialize', params: greeting('2025-11-25') });
  const own = { 'mcp-session-id': hello.headers.get('mcp-session-id') ?? '' };
  return async (name: string, args: object) => {
    const params = { name, arguments: { workspaceId: ALPHA.id, ...args } };
    const answer = await post({ id: 1, method: 'tools/call', params }, own);
    // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
    return ((await answer.json()) as any).result.structuredContent;
  };
}

test('the tools of one server drive another, until its token is taken back', {
  timeout: TIMEOUT_MS,
}, async () => {
  const [farFolder, nearFolder] = [folder(), folder()];
  const far = await start(
    farFolder,
    {},
    {
      hosting: async (clock) =>
        createMemoryHosting({ clock, random: systemRandom, workspaces: WORKSPACES, stepMs: 20 }),
    },
  );
  const { token, row } = createToken(farFolder, {
    name: 'near',
    isReadOnly: false,
    toolsets: ['workspaces', 'all', 'host'],
  });
  const file = join(nearFolder, 'second-host');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  const near = await start(nearFolder, {
    STOA_HOSTING: 'rest',
    STOA_HOSTING_URL: far.ready.base_url,
    STOA_HOSTING_TOKEN_FILE: file,
  });
  const call = await session(near.ready.hosting_mcp ?? '', readToken(nearFolder));
  const { service, deployId } = await call('create_web_service', SHOP);
  const status = async (): Promise<string> => {
    const { deploy } = await call('get_deploy', { serviceId: service.id, deployId });
    return deploy.status;
  };
  await expect.poll(status, { timeout: 60_000, interval: 100 }).toBe('live');
  const { settingsUrl } = await call('update_web_service', { serviceId: service.id });
  expect(settingsUrl).toBe(service.dashboardUrl);
  const direct = await session(far.ready.hosting_mcp ?? '', readToken(farFolder));
  expect((await direct('list_services', {})).services).toHaveLength(1);
  revokeToken(farFolder, row.id);
  expect((await call('list_services', {})).error).toBe('UNAUTHORIZED');
  await far.close();
  expect((await call('list_services', {})).error).toBe('HOST_UNAVAILABLE');
});
