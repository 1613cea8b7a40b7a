import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hostingClient } from '../support/hosting/hosting-client.ts';
import {
  deployAgain,
  deploySample,
  fetchSamples,
  readLines,
  sampleHosting,
  sampleRepository,
  unpackSample,
} from '../support/hosting/published-samples.ts';
import { askService } from '../support/hosting/real-hosting.ts';
import { cleanUp, until } from '../support/real-server.ts';

const TIMEOUT = { timeout: 300_000 };
const lacks = fetchSamples('html5-boilerplate', 'cors-anywhere');
const sampleTest = test.skipIf(lacks !== undefined);

afterAll(cleanUp);

sampleTest(
  `a site without a build and a service with a Procfile are deployed as published (${lacks ?? 'fetched'})`,
  TIMEOUT,
  async () => {
    await using hosting = await sampleHosting();
    await using client = await hostingClient(hosting);
    const site = await sampleRepository(hosting, 'html5-boilerplate', (folder) =>
      unpackSample('html5-boilerplate', folder),
    );
    const service = await sampleRepository(hosting, 'cors-anywhere', (folder) =>
      unpackSample('cors-anywhere', folder),
    );
    // The default branch of many public repositories.
    service.git('branch', '--move', 'master');
    const procfile = readFileSync(join(service.path, 'Procfile'), 'utf8');
    const startCommand = /^web: (.+)$/m.exec(procfile)?.[1];
    expect(startCommand).toBe('node server.js');
    const [pages, proxy] = await Promise.all([
      deploySample(client, 'create_static_site', {
        name: 'pages',
        repo: site.path,
        buildCommand: 'true',
        publishPath: 'dist',
      }),
      deploySample(client, 'create_web_service', {
        name: 'proxy',
        repo: service.path,
        runtime: 'node',
        startCommand,
        buildCommand: 'npm install --omit=dev',
      }),
    ]);
    const page = readFileSync(join(site.path, 'dist/index.html'), 'utf8');
    expect(await askService(pages.url)).toEqual({ status: 200, text: page });
    expect(await askService(pages.url, '/css/style.css')).toMatchObject({ status: 200 });
    expect(await askService(pages.url, '/none')).toEqual({
      status: 404,
      text: readFileSync(join(site.path, 'dist/404.html'), 'utf8'),
    });
    const help = await askService(proxy.url);
    expect([help.status, help.text]).toEqual([200, expect.stringContaining('cross-origin')]);
    await until(async () =>
      (await readLines(client, proxy.id, 'app')).some((line) => /^Running CORS Any/.test(line)),
    );
    const built = (await readLines(client, proxy.id, 'build')).join('\n');
    expect(built).toMatch(/added \d+ packages/);
    await until(async () => (await readLines(client, pages.id, 'request')).length === 3);

    execFileSync('sed', ['-i', 's/<title>/<title>Changed/', 'dist/index.html'], { cwd: site.path });
    site.commit({});
    await deployAgain(client, pages.id);
    expect((await askService(pages.url)).text).toContain('<title>Changed</title>');
  },
);
