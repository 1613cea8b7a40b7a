import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createToken } from '../../src/process/hosting/hosting-tokens.ts';
import { detectIsolation } from '../../src/providers/hosting/local/isolation.ts';
import { type HostingClient, hostingClient, program } from '../support/hosting/hosting-client.ts';
import { askService, type HostingServer, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { cleanUp } from '../support/real-server.ts';

const TIMEOUT = { timeout: 600_000 };
const SECRET = 'the-secret-of-alpha';
const isApart = detectIsolation(process.env).sandbox === 'user';

afterAll(cleanUp);

test('two workspaces with tokens of their own read nothing of each other', TIMEOUT, async () => {
  await using hosting = await hostingServer({
    STOA_HOSTING_WORKSPACES: 'alpha,beta',
    STOA_HOSTING_SHARED_SOURCES: 'own',
  });
  await using operator = await hostingClient(hosting);
  const { workspaces } = await operator.call('list_workspaces', { workspaceId: undefined });
  const [alpha, beta] = workspaces.map(({ id }: { id: string }) => id);
  await using one = await clientOf(hosting, alpha);
  await using two = await clientOf(hosting, beta);
  expect([one.workspaceId, two.workspaceId]).toEqual([alpha, beta]);
  const repo = repository(join(hosting.sources, 'own'));
  repo.commit({ 'server.mjs': SPY });
  const order = { repo: repo.path, ...program(), autoDeploy: 'no' };
  const envVars = [{ key: 'OWN', value: SECRET }];
  const { service, deployId } = await one.deployed({ ...order, name: 'shop', envVars });
  const own = await two.deployed({
    ...order,
    name: 'shop',
    envVars: [{ key: 'LOOK', value: hosting.server.dataDir }],
  });

  expect((await two.call('list_services')).services).toMatchObject([{ id: own.service.id }]);
  const asks: readonly (readonly [string, object])[] = [
    ['get_service', { serviceId: service.id }],
    ['get_deploy', { serviceId: service.id, deployId }],
    ['list_deploys', { serviceId: service.id }],
    ['list_events', { serviceId: service.id }],
    ['list_logs', { resource: [service.id] }],
    ['list_log_label_values', { label: 'type', resource: [own.service.id, service.id] }],
    ['get_metrics', { resourceId: service.id, metricTypes: ['http_request_count'] }],
    ['update_environment_variables', { serviceId: service.id, envVars: [] }],
    ['trigger_deploy', { serviceId: service.id }],
  ];
  for (const [name, args] of asks) {
    await expect(two.call(name, args), name).rejects.toThrow(/There is no|RESOURCE_UNKNOWN/);
    await expect(two.call(name, { ...args, workspaceId: alpha }), name).rejects.toThrow();
  }
  const shown = JSON.stringify([
    await one.call('get_service', { serviceId: service.id }),
    await one.call('list_logs', { resource: [service.id] }),
    await one.call('list_events', { serviceId: service.id }),
  ]);
  expect(shown).not.toContain(SECRET);

  if (!isApart) return;
  const { text } = await askService(own.service.serviceDetails.url);
  expect(JSON.parse(text)).toEqual({ secrets: [], folders: [], own: true });
});

function clientOf(hosting: HostingServer, workspaceId: string): Promise<HostingClient> {
  const { dataDir } = hosting.server;
  const { token } = createToken(dataDir, { name: 'one', isReadOnly: false, workspaceId });
  return hostingClient(hosting, token);
}

/** Looks for the secret in the surroundings of all processes, and into the data directory. */
const SPY = `import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
const list = (path) => { try { return readdirSync(path); } catch { return []; } };
createServer((_asked, answer) => {
  const pids = list('/proc').filter((name) => /^\\d+$/.test(name));
  const secrets = pids.filter((pid) => read('/proc/' + pid + '/environ').includes('${SECRET}'));
  const roots = pids.flatMap((pid) => list('/proc/' + pid + '/cwd').filter((n) => n === 'data'));
  const look = process.env.LOOK ?? '';
  const folders = [look, look + '/hosting', look + '/hosting/local/services', look + '/store'].flatMap(list);
  const own = read('/proc/self/environ').includes('LOOK=') && roots.length === 0;
  answer.end(JSON.stringify({ secrets, folders, own }));
}).listen(process.env.PORT, '127.0.0.1');
`;
