import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox } from '../../src/providers/hosting/local/sandbox.ts';
import { findMissingProgram } from '../../src/providers/hosting/local/toolchains.ts';
import { type HostingClient, hostingClient } from '../support/hosting/hosting-client.ts';
import {
  buildVariables,
  deployAgain,
  deploySample,
  fetchChi,
  fetchSamples,
  generateSample,
  readLines,
  sampleHosting,
  sampleRepository,
  unpackSample,
} from '../support/hosting/published-samples.ts';
import { askService, type HostingServer } from '../support/hosting/real-hosting.ts';
import { cleanUp, until } from '../support/real-server.ts';

const TIMEOUT = { timeout: 900_000 };
const lacks = fetchSamples('create-next-app', 'create-vite', 'express-generator', 'fastify-cli');
const sampleTest = test.skipIf(lacks !== undefined);
const source = lacks ?? 'fetched';

let hosting: HostingServer;
let client: HostingClient;
beforeAll(async () => {
  hosting = await sampleHosting();
  client = await hostingClient(hosting);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await hosting[Symbol.asyncDispose]();
  await cleanUp();
});

sampleTest(
  `an Express application is built and served as its generator leaves it (${source})`,
  TIMEOUT,
  async () => {
    const repo = await begin('express', (to) =>
      generateSample('express-generator', to, {
        file: 'bin/express-cli.js',
        args: (folder) => ['--view=pug', '--git', folder],
      }),
    );
    const { id, url } = await deploySample(client, 'create_web_service', {
      name: repo.name,
      repo: repo.path,
      runtime: 'node',
      buildCommand: 'npm install',
      startCommand: 'npm start',
    });
    const page = await askService(url);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Welcome to Express')]);
    expect(await askService(url, '/users')).toEqual({
      status: 200,
      text: 'respond with a resource',
    });
    expect((await askService(url, '/none')).status).toBe(404);
    // The program logs its requests, and so does the router.
    await waitForLine(id, 'app', /GET \/users .*200/);
    await waitForLine(id, 'request', /^GET \S+\/none 404 /);
    await waitForLine(id, 'build', /^added \d+ packages/);

    edit(repo.path, 's/Welcome to/Good day from/', 'views/index.pug');
    repo.commit({});
    await deployAgain(client, id);
    expect((await askService(url)).text).toContain('Good day from Express');
  },
);

sampleTest(
  `projects in folders of one repository are a site and a service at localhost (${source})`,
  TIMEOUT,
  async () => {
    const repo = await begin('create-vite', (folder) => unpackSample('create-vite', folder));
    const build = (folder: string) => `cd ${folder} && npm install && npm run build`;
    const [site, preview] = await Promise.all([
      deploySample(client, 'create_static_site', {
        name: `${repo.name}-site`,
        repo: repo.path,
        buildCommand: build('template-vanilla-ts'),
        publishPath: 'template-vanilla-ts/dist',
      }),
      deploySample(client, 'create_web_service', {
        name: `${repo.name}-preview`,
        repo: repo.path,
        runtime: 'node',
        buildCommand: build('template-react'),
        startCommand: 'cd template-react && npm run preview -- --port $PORT',
      }),
    ]);
    const { text } = await askService(site.url);
    expect(text).toContain('<title>Vite + TS</title>');
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
    expect((await askService(site.url, script)).text).toContain('Get started');
    expect((await askService(preview.url)).text).toContain('<title>Vite + React</title>');
    await waitForLine(site.id, 'build', /vite v\d+\S* building client environment for production/);
    await waitForLine(preview.id, 'app', /Local: +http:\/\/localhost:\d+/);

    edit(repo.path, 's/Vite + TS/Changed/', 'template-vanilla-ts/index.html');
    repo.commit({});
    await deployAgain(client, site.id);
    expect((await askService(site.url)).text).toContain('<title>Changed</title>');
  },
);

sampleTest(
  `a TypeScript service of Fastify is compiled, and logs in JSON (${source})`,
  TIMEOUT,
  async () => {
    const repo = await begin('fastify', (to) =>
      generateSample('fastify-cli', to, {
        file: 'cli.js',
        args: (folder) => ['generate', folder, '--lang=ts'],
      }),
    );
    const { id, url } = await deploySample(client, 'create_web_service', {
      name: repo.name,
      repo: repo.path,
      runtime: 'node',
      buildCommand: 'npm install',
      startCommand: 'npm start',
    });
    expect(await askService(url)).toEqual({ status: 200, text: '{"root":true}' });
    expect((await askService(url, '/example')).text).toBe('this is an example');
    await waitForLine(id, 'app', /"msg":"Server listening at http:\/\/127\.0\.0\.1:\d+"/);

    edit(repo.path, 's/this is an example/another example/', 'src/routes/example/index.ts');
    repo.commit({});
    await deployAgain(client, id);
    expect((await askService(url, '/example')).text).toBe('another example');
  },
);

sampleTest(
  `a Next.js application renders its page on the server (${source})`,
  TIMEOUT,
  async () => {
    const flags = ['--ts', '--app', '--empty', '--no-tailwind', '--no-linter', '--no-src-dir'];
    const rest = ['--import-alias=@/*', '--skip-install', '--disable-git', '--yes'];
    const repo = await begin('next', (to) =>
      generateSample('create-next-app', to, {
        file: 'dist/index.js',
        args: (folder) => [folder, ...flags, ...rest],
      }),
    );
    const { id, url } = await deploySample(client, 'create_web_service', {
      name: repo.name,
      repo: repo.path,
      runtime: 'node',
      buildCommand: 'npm install && npm run build',
      startCommand: 'npm start',
      envVars: [...buildVariables(), { key: 'NEXT_TELEMETRY_DISABLED', value: '1' }],
    });
    expect((await askService(url)).text).toContain('Hello world!');
    await waitForLine(id, 'build', /Compiled successfully/);
    await waitForLine(id, 'app', /Ready in/);
  },
);

const WRONG_PORT = /^Not live .* it does not listen on PORT \(\d+\); it listens on 3333\./;
const chi = fetchChi();
const missing = findMissingProgram('go', openSandbox(process.env));
const hasGo = chi !== undefined && missing === undefined;
test.skipIf(!hasGo && process.env['CI'] !== 'true')(
  'a Go example on a port of its own is told in its log which one it is to use',
  TIMEOUT,
  async () => {
    const repo = await begin('chi', (folder) => cpSync(chi ?? '', folder, { recursive: true }));
    const { service, deployId } = await client.call('create_web_service', {
      name: repo.name,
      repo: repo.path,
      runtime: 'go',
      autoDeploy: 'no',
      buildCommand: 'go build -o server ./_examples/hello-world',
      startCommand: './server',
    });
    const getDeploy = async () =>
      (await client.call('get_deploy', { serviceId: service.id, deployId })).deploy;
    await until(async () => {
      // Another program on its port ends it at once.
      expect(await getDeploy()).not.toHaveProperty('reason');
      return (await readLines(client, service.id, 'app')).some((line) => WRONG_PORT.test(line));
    }, 180_000);
    expect(await getDeploy()).toMatchObject({ status: 'update_in_progress' });

    // The repair is not held up by the start that waits.
    const file = '_examples/hello-world/main.go';
    edit(repo.path, 's/":3333"/":"+os.Getenv("PORT")/', file);
    edit(repo.path, 's/"net\\/http"/"net\\/http"\\n\\t"os"/', file);
    repo.commit({});
    await deployAgain(client, service.id);
    const { url } = service.serviceDetails;
    expect(await askService(url)).toEqual({ status: 200, text: 'hello world' });
    await waitForLine(service.id, 'app', /"GET http:\/\/\S+ HTTP\/1\.1" from .* - 200 11B/);
  },
);

let begun = 0;
/** A repository of a sample; a second try of its test has another one. */
async function begin(sample: string, write: (folder: string) => Promise<void> | void) {
  begun += 1;
  const name = `${sample}-${begun}`;
  return { ...(await sampleRepository(hosting, name, write)), name };
}

function edit(folder: string, change: string, file: string): void {
  execFileSync('sed', ['-i', change, file], { cwd: folder });
}

function waitForLine(id: string, type: Parameters<typeof readLines>[2], form: RegExp) {
  return until(async () => (await readLines(client, id, type)).some((line) => form.test(line)));
}
