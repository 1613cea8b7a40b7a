import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSandbox } from '../../src/providers/hosting/local/sandbox.ts';
import { findMissingProgram } from '../../src/providers/hosting/local/toolchains.ts';
import { hostingClient } from '../support/hosting/hosting-client.ts';
import { askService, type HostingServer, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { cleanUp, until } from '../support/real-server.ts';

const SAMPLE = join(import.meta.dirname, '..', 'samples', 'docker');
const TIMEOUT = { timeout: 600_000 };
const LOGGED_MS = 60_000;

afterAll(cleanUp);

const sandbox = openSandbox(process.env);
const missing = findMissingProgram('docker', sandbox) ?? findMissingProgram('go', sandbox);
// In CI a builder that is missing is a failure.
const built = test.skipIf(missing !== undefined && process.env['CI'] !== 'true');

built(
  'an image from scratch is built and served, as the user and in the folder that it names',
  TIMEOUT,
  async () => {
    await using hosting = await hostingServer();
    await using client = await hostingClient(hosting);
    const repo = imageRepository(hosting);
    const { service } = await client.deployed({
      name: 'image',
      runtime: 'docker',
      repo: repo.path,
      autoDeploy: 'no',
      envVars: [{ key: 'GREETING', value: `good "day"` }],
    });
    const { url } = service.serviceDetails;
    const told = JSON.parse((await askService(url)).text);
    expect(told).toEqual({
      greeting: `good "day"`,
      kept: 'of the image',
      uid: 1000,
      folder: '/srv',
      // The files of the image and of the moment; nothing of the machine.
      root: expect.arrayContaining(['dev', 'etc', 'proc', 'srv', 'tmp']),
      wrote: '',
      capabilities: '0000000000000000',
      noNewPrivileges: '1',
    });
    expect(told.root).not.toContain('home');
    expect(told.root).not.toContain('mnt');

    repo.commit({ Dockerfile: 'FROM registry.invalid/nothing:1\n' });
    const { deploy } = await client.call('trigger_deploy', { serviceId: service.id });
    expect(await client.over(service.id, deploy.id)).toBe('build_failed');
    const { events } = await client.call('list_events', {
      serviceId: service.id,
      eventTypes: ['build_ended'],
    });
    expect(JSON.stringify(events)).toContain(
      'registry.invalid/nothing:1, which could not be fetched',
    );
    expect((await askService(url)).status).toBe(200);
  },
);

built(
  'RUN, ARG and a command of one’s own work in an image with a shell; its job runs',
  TIMEOUT,
  async () => {
    await using hosting = await hostingServer();
    await using client = await hostingClient(hosting);
    const repo = imageRepository(hosting);
    shellOf(repo.path);
    repo.commit({ Dockerfile: WITH_SHELL });
    const envVars = [{ key: 'GREETING', value: 'hello' }];
    const image = { runtime: 'docker', repo: repo.path, autoDeploy: 'no', envVars };
    const { service } = await client.deployed({
      ...image,
      name: 'with-shell',
      dockerCommand: 'GREETING=$(cat /srv/note) exec /srv/server',
    });
    const told = JSON.parse((await askService(service.serviceDetails.url)).text);
    expect(told).toMatchObject({ greeting: 'built with hello as 0', uid: 0 });

    const job = { ...image, name: 'job', schedule: '* * * * *', dockerCommand: 'cat /srv/note' };
    const cron = await client.call('create_cron_job', job);
    expect(await client.over(cron.service.id, cron.deployId)).toBe('live');
    await until(async () => {
      const { logs } = await client.call('list_logs', {
        resource: [cron.service.id],
        type: ['app'],
      });
      return logs.some(({ message }: { message: string }) => message === 'built with hello as 0');
    }, 3 * LOGGED_MS);
  },
);

const WITH_SHELL = `FROM scratch
ARG GREETING
COPY shell server /srv/
COPY shell /
RUN echo "built with $GREETING as $(id -u)" > /srv/note
`;

/** A repository with the sample and its program, built for images without anything else. */
function imageRepository({ sources }: HostingServer) {
  const repo = repository(join(sources, 'image'));
  cpSync(SAMPLE, repo.path, { recursive: true });
  execFileSync('go', ['build', '-o', 'server', '.'], {
    cwd: repo.path,
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  repo.commit({});
  return repo;
}

/** Puts a shell and a few programs of this machine into a folder, with the libraries they need. */
function shellOf(folder: string): void {
  for (const program of ['sh', 'cat', 'id']) {
    const file = execFileSync('readlink', ['-f', `/bin/${program}`], { encoding: 'utf8' }).trim();
    const told = execFileSync('ldd', [file], { encoding: 'utf8' });
    for (const library of told.match(/\/lib\S+/g) ?? []) put(library, library);
    put(file, `/bin/${program}`);
  }
  writeFileSync(join(folder, 'shell', 'made'), '');

  function put(from: string, to: string): void {
    const target = join(folder, 'shell', to);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(from, target);
  }
}
