import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openSandbox } from '../../src/providers/hosting/local/sandbox.ts';
import { findMissingProgram } from '../../src/providers/hosting/local/toolchains.ts';
import { type HostingClient, hostingClient } from '../support/hosting/hosting-client.ts';
import { askService, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { cleanUp, until } from '../support/real-server.ts';

const SAMPLES = join(import.meta.dirname, '..', 'samples');
const LOGGED_MS = 60_000;

afterAll(cleanUp);

/** How each runtime's sample is built and started: as its own users would, without packages. */
const COMMANDS = {
  go: { buildCommand: 'go build -o server .', startCommand: 'exec ./server' },
  rust: {
    buildCommand: 'cargo build --release --offline',
    startCommand: 'exec target/release/sample',
  },
  ruby: { buildCommand: 'bundle install', startCommand: 'exec bundle exec ruby server.rb' },
  elixir: {
    buildCommand: 'MIX_ENV=prod mix compile',
    startCommand: 'MIX_ENV=prod exec mix run --no-halt',
  },
} as const;

const sandbox = openSandbox(process.env);

for (const [runtime, commands] of Object.entries(COMMANDS)) {
  const missing = findMissingProgram(runtime as keyof typeof COMMANDS, sandbox);
  // In CI a toolchain that is missing is a failure.
  const isLeftOut = missing !== undefined && process.env['CI'] !== 'true';
  test.skipIf(isLeftOut)(
    `a program in ${runtime} is built, served, and deployed again from a new commit`,
    { timeout: 600_000 },
    async () => {
      await using hosting = await hostingServer();
      await using client = await hostingClient(hosting);
      const repo = repository(join(hosting.sources, runtime));
      cpSync(join(SAMPLES, runtime), repo.path, { recursive: true });
      repo.commit({});
      const { service } = await client.deployed({
        name: runtime,
        runtime,
        ...commands,
        repo: repo.path,
        autoDeploy: 'no',
        envVars: [{ key: 'GREETING', value: 'good day' }],
      });
      const { url } = service.serviceDetails;
      expect(await askService(url)).toEqual({ status: 200, text: `${runtime} says good day` });
      await until(async () => (await appLines(client, service.id)).length > 0, LOGGED_MS);

      execFileSync('sed', ['-i', 's/ says / said /', sourceWith(repo.path, ' says ')]);
      repo.commit({});
      const { deploy } = await client.call('trigger_deploy', { serviceId: service.id });
      expect(await client.over(service.id, deploy.id)).toBe('live');
      expect(await askService(url)).toEqual({ status: 200, text: `${runtime} said good day` });
    },
  );
}

async function appLines(client: HostingClient, id: string): Promise<readonly string[]> {
  const { logs } = await client.call('list_logs', { resource: [id], type: ['app'] });
  return logs
    .map(({ message }: { readonly message: string }) => message)
    .filter((message: string) => message.includes('the sample listens'));
}

/** The one tracked file that a text is in. */
function sourceWith(folder: string, text: string): string {
  const listed = execFileSync('git', ['ls-files'], { cwd: folder, encoding: 'utf8' });
  const files = listed
    .trim()
    .split('\n')
    .map((name) => join(folder, name));
  const found = files.filter((file) => readFileSync(file, 'utf8').includes(text));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}
