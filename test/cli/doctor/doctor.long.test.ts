import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { getDownloadFolder } from '../../../src/providers/hosting/local/key-value/program.ts';
import { cleanUp, freshDataDir } from '../../support/real-server.ts';
import { installationWithout, runCli } from '../run-cli.ts';

afterAll(cleanUp);

/** State by feature, as the page says it. */
function findings(stdout: string): Record<string, string> {
  const rows = [...stdout.matchAll(/^(ok|MISSING|reduced)\s+([^:]+): (.*)$/gm)];
  return Object.fromEntries(rows.map(([, state = '', feature = '']) => [feature, state]));
}

function detail(stdout: string, feature: string): string {
  return stdout.split('\n').find((line) => line.includes(`  ${feature}: `)) ?? '';
}

const anvil = `@foundry-rs/anvil-${process.platform}-${{ x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64']}`;

describe('of a whole installation', () => {
  test('everything is there but models, which have a substitute', async () => {
    const dataDir = join(freshDataDir(), 'not', 'there', 'yet');
    const { code, stdout, stderr } = await runCli(['doctor', '--data', dataDir]);
    expect([code, stderr]).toEqual([0, '']);
    expect(findings(stdout)).toEqual({
      everything: 'ok',
      store: 'ok',
      'processes that the server starts': 'ok',
      'fast HTTP front': expect.stringMatching(/^(ok|reduced)$/),
      payments: 'ok',
      'data directory': expect.stringMatching(/^(ok|reduced)$/),
      'panels with language models': 'reduced',
      'captions of videos': 'reduced',
      hosting: expect.stringMatching(/^(ok|reduced)$/),
      ...(process.platform === 'linux' && {
        'isolation of hosted programs': expect.stringMatching(/^(ok|reduced)$/),
        'network of hosted programs': expect.stringMatching(/^(ok|reduced)$/),
        'runtimes of hosted programs': expect.stringMatching(/^(ok|reduced)$/),
      }),
      'Key Value': expect.stringMatching(/^(ok|reduced)$/),
    });
    // Looking makes nothing.
    expect(existsSync(dataDir)).toBe(false);
  });

  test('models with their keys are ok, and a key is not shown', async () => {
    const env = { STOA_LLM_MODELS: 'openai:gpt-5-mini', OPENAI_API_KEY: 'a-key-of-the-test' };
    const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { env });
    expect(code).toBe(0);
    expect(findings(stdout)['panels with language models']).toBe('ok');
    expect(stdout).not.toContain('a-key-of-the-test');
  });

  test('models without a key are named by the variable', async () => {
    const env = { STOA_LLM_MODELS: 'openai:gpt-5-mini,anthropic:claude-sonnet-4-5' };
    const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { env });
    expect(code).toBe(0);
    expect(detail(stdout, 'panels with language models')).toMatch(
      /^reduced.*OPENAI_API_KEY, ANTHROPIC_API_KEY not set$/,
    );
  });

  test('models that cannot be read are missing, as the server would not start', async () => {
    const env = { STOA_LLM_MODELS: 'gpt' };
    const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { env });
    expect(code).toBe(1);
    expect(findings(stdout)['panels with language models']).toBe('MISSING');
  });

  test.each([
    ['on', 'ok', 0],
    ['off', 'reduced', 0],
    ['yes', 'MISSING', 1],
  ])('captions of videos that are %s are %s', async (STOA_YOUTUBE_CAPTIONS, state, ends) => {
    const env = { STOA_YOUTUBE_CAPTIONS };
    const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { env });
    expect([code, findings(stdout)['captions of videos']]).toEqual([ends, state]);
  });

  test('a data directory that cannot be written is missing', async () => {
    const file = join(freshDataDir(), 'file');
    writeFileSync(file, '');
    for (const data of [file, join(file, 'below')]) {
      const { code, stdout } = await runCli(['doctor', '--data', data]);
      expect(code).toBe(1);
      expect(detail(stdout, 'data directory')).toMatch(/^MISSING.*choose another with --data$/);
    }
  });
});

describe('of an installation without the chain', () => {
  const cure = `fix: npm install --no-save ${anvil}@1.7.1`;

  test('it says the command that gets it', async () => {
    const cli = await installationWithout('@foundry-rs');
    const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { cli });
    expect(code).toBe(1);
    expect(findings(stdout)['payments']).toBe('MISSING');
    expect(stdout).toContain(cure);
  });

  test('a chain of the operator takes its place', async () => {
    const cli = await installationWithout('@foundry-rs');
    const env = {
      STOA_RPC_URL: 'http://127.0.0.1:1',
      STOA_TOKEN_ADDRESS: `0x${'1'.repeat(40)}`,
    };
    const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { cli, env });
    expect(code).toBe(0);
    expect(findings(stdout)['payments']).toBe('ok');
  });

  test('--fix without a terminal and without --yes changes nothing', async () => {
    const cli = await installationWithout('@foundry-rs');
    const root = join(dirname(cli), '..');
    const before = readdirSync(join(root, 'node_modules'));
    const tools = fakeNpm(root);
    const { code, stdout } = await runCli(['doctor', '--fix', '--data', freshDataDir()], {
      cli,
      env: { PATH: `${tools.path}:${process.env['PATH']}` },
    });
    expect(code).toBe(1);
    expect(stdout).not.toContain('running');
    expect(tools.calls()).toBe('');
    expect(readdirSync(join(root, 'node_modules'))).toEqual(before);
  });

  test('--fix --yes runs just that command, where the program is installed', async () => {
    const cli = await installationWithout('@foundry-rs');
    const root = join(dirname(cli), '..');
    const tools = fakeNpm(root);
    const dataDir = freshDataDir();
    haveServer(dataDir);
    const { code, stdout } = await runCli(['doctor', '--fix', '--yes', '--data', dataDir], {
      cli,
      cwd: freshDataDir(),
      env: { PATH: `${tools.path}:${process.env['PATH']}` },
    });
    // The stand-in gets nothing, so the chain is missing still.
    expect(code).toBe(1);
    expect(stdout).toContain(`running npm install --no-save ${anvil}@1.7.1`);
    expect(tools.calls()).toBe(`${root} install --no-save ${anvil}@1.7.1\n`);
  });
});

test('a store whose native part does not load is missing, with its cure', async () => {
  const cli = await installationWithout('@lmdb');
  const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { cli });
  expect(code).toBe(1);
  expect(findings(stdout)['store']).toBe('MISSING');
  expect(stdout).toContain(
    `fix: npm install --no-save @lmdb/lmdb-${process.platform}-${process.arch}@3.5.6`,
  );
});

test('without the package that seals files nothing is started, and it says so', async () => {
  const cli = await installationWithout('@koromix');
  const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { cli });
  expect(code).toBe(1);
  expect(findings(stdout)['processes that the server starts']).toBe('MISSING');
  expect(stdout).toContain(
    `fix: npm install --no-save @koromix/koffi-${process.platform}-${process.arch}@3.3.4`,
  );
});

test('without a native front node:http takes its place', async () => {
  const cli = await installationWithout('uWebSockets.js');
  const { code, stdout } = await runCli(['doctor', '--data', freshDataDir()], { cli });
  expect(code).toBe(0);
  expect(findings(stdout)['fast HTTP front']).toBe('reduced');
  expect(stdout).toContain('fix: npm install --no-save uWebSockets.js@npm:');
});

describe('of Key Value', () => {
  test('a server that was unpacked into the data directory is told by name and version', async () => {
    const dataDir = freshDataDir();
    haveServer(dataDir);
    const { code, stdout } = await runCli(['doctor', '--data', dataDir]);
    expect(code).toBe(0);
    expect(detail(stdout, 'Key Value')).toMatch(
      /^ok {7}Key Value: valkey-server or redis-server, 7 or newer: (Redis|Valkey) \d+\.\d+\.\d+$/,
    );
  });
});

/** A server among the fetched ones, on machines that have none of their own. */
function haveServer(dataDir: string): void {
  const folder = join(getDownloadFolder(join(dataDir, 'hosting', 'local')), 'usr', 'bin');
  mkdirSync(folder, { recursive: true });
  const said = 'echo "Redis server v=7.9.9 sha=00000000:0 bits=64"';
  writeFileSync(join(folder, 'redis-server'), `#!/bin/sh\n${said}\n`, { mode: 0o755 });
}

/** An `npm` that only writes down where and how it was called. */
function fakeNpm(root: string) {
  const path = join(root, 'tools');
  const log = join(path, 'calls');
  mkdirSync(path);
  writeFileSync(join(path, 'npm'), `#!/bin/sh\necho "$PWD $*" >> "${log}"\n`);
  chmodSync(join(path, 'npm'), 0o755);
  return { path, calls: () => (existsSync(log) ? readFileSync(log, 'utf8') : '') };
}
