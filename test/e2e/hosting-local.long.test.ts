import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { hostingClient, program } from '../support/hosting/hosting-client.ts';
import { askService, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { cleanUp, until } from '../support/real-server.ts';

const TIMEOUT = { timeout: 300_000 };

afterAll(cleanUp);

test(
  'what is pushed to a service without repo is deployed, and the next push too',
  TIMEOUT,
  async () => {
    await using hosting = await hostingServer();
    await using client = await hostingClient(hosting);
    const { service } = await client.call('create_web_service', { name: 'pushed', ...program() });
    const repo = repository(join(hosting.sources, 'own'));
    repo.commit({ 'server.mjs': answering('one') });
    repo.git('push', '--quiet', service.pushUrl, 'main');
    const { url } = service.serviceDetails;
    await until(async () => (await askService(url)).text === 'one', 240_000);
    repo.commit({ 'server.mjs': answering('two') });
    repo.git('push', '--quiet', service.pushUrl, 'main');
    await until(async () => (await askService(url)).text === 'two', 240_000);
  },
);

test(
  'a server that is killed leaves services and router at work; stop ends all',
  TIMEOUT,
  async () => {
    await using hosting = await hostingServer();
    // Each start says how far programs are kept apart here.
    expect(hosting.server.errors()).toMatch(
      /isolated at level (user|process), with .*; this machine lacks /,
    );
    await using client = await hostingClient(hosting);
    const repo = repository(join(hosting.sources, 'own'));
    repo.commit({ 'server.mjs': answering('one') });
    const { service } = await client.deployed({ name: 'kept', repo: repo.path, ...program() });
    const { url } = service.serviceDetails;
    const data = ['--data', hosting.server.dataDir];
    expect((await runCli(['hosting', 'stop', ...data])).stderr).toMatch(/DATA_DIR_BUSY/);
    await hosting.server.kill();
    expect(await askService(url)).toEqual({ status: 200, text: 'one' });
    await hosting.restart();
    expect(await askService(url)).toEqual({ status: 200, text: 'one' });
    await hosting.server.stop();
    expect(await askService(url)).toEqual({ status: 200, text: 'one' });
    const { code, stdout } = await runCli(['hosting', 'stop', '--json', ...data]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { programs: 1, router: true }]);
    await expect(askService(url)).rejects.toThrow(/ECONNREFUSED/);
    await hosting.restart();
    await until(async () => (await askService(url)).text === 'one', 240_000);
  },
);

function answering(text: string): string {
  return `import { createServer } from 'node:http';
createServer((_asked, answer) => answer.end(${JSON.stringify(text)})).listen(process.env.PORT);
`;
}
