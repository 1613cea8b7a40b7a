import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, test } from 'vitest';
import { ENGINES } from '../../support/engines.ts';
import {
  cleanUp,
  cliPath,
  freshDataDir,
  startRealServer,
  until,
} from '../../support/real-server.ts';
import { bareEnvironment, runCli } from '../run-cli.ts';

afterAll(cleanUp);

const END_MS = 10_000;

describe('a server that runs', { timeout: 60_000 }, () => {
  test('says itself in one line of this shape, and in a file until it ends', async () => {
    const server = await startRealServer(freshDataDir());
    const { ready, dataDir } = server;
    expect(Object.keys(ready)).toEqual([
      ...['ready', 'base_url', 'mcp', 'mcp_v1', 'mcp_v2', 'hosting_mcp', 'console'],
      ...['token_file', 'pid', 'http_engine', 'chain'],
    ]);
    expect(Object.keys(ready.chain)).toEqual([
      ...['id', 'rpc_url', 'token', 'escrow', 'identity'],
      ...['reputation', 'anchor', 'history_url'],
    ]);
    expect(ready).toMatchObject({
      ready: true,
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      mcp: `${ready.base_url}/mcp`,
      mcp_v1: `${ready.base_url}/v1/mcp`,
      mcp_v2: `${ready.base_url}/v2/`,
      token_file: join(dataDir, 'token'),
      http_engine: expect.stringMatching(/^(uws|node)$/),
      chain: { id: 31_337, token: expect.stringMatching(/^0x[0-9a-f]{40}$/i) },
    });
    const file = join(dataDir, 'ready.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ready);
    expect(await server.stop()).toBe(0);
    expect(() => statSync(file)).toThrow();
  });

  test('ends in order when its terminal hangs up', async () => {
    const server = await startRealServer(freshDataDir());
    process.kill(server.ready.pid, 'SIGHUP');
    await until(() => !existsSync(join(server.dataDir, 'ready.json')), END_MS);
    expect(await server.stop()).toBe(0);
  });

  test('keeps its files to its user and its secrets out of what it says', async () => {
    const dataDir = freshDataDir();
    mkdirSync(join(dataDir, 'data'), { mode: 0o755 });
    const server = await startRealServer(join(dataDir, 'data'));
    const open = openFiles(server.dataDir);
    expect(open).toEqual([]);
    const secrets = secretsOf(server.dataDir);
    expect(secrets).toHaveLength(3);
    expect(await server.stop()).toBe(0);
    const said = JSON.stringify(server.ready) + server.errors();
    expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
  });

  test('owns its data directory: a second one is turned away and changes nothing', async () => {
    const server = await startRealServer(freshDataDir());
    const second = await runCli(['serve', '--port', '0', '--data', server.dataDir]);
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain(
      'stoa: DATA_DIR_BUSY: Another Stoa server is using this data directory',
    );
    expect((await fetch(`${server.ready.base_url}/healthz`)).status).toBe(200);
    expect(JSON.parse(readFileSync(join(server.dataDir, 'ready.json'), 'utf8')).pid).toBe(
      server.ready.pid,
    );
    expect(await server.stop()).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s while a session is open',
    async (signal) => {
      const server = await startRealServer(freshDataDir());
      const client = new Client({ name: 'cli', version: '1' }, {});
      await client.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v1)));
      expect((await client.listTools()).tools).not.toHaveLength(0);
      const began = Date.now();
      if (signal === 'SIGINT') process.kill(server.ready.pid, signal);
      expect(await server.stop()).toBe(0);
      expect(Date.now() - began).toBeLessThan(END_MS);
      await client.close();
    },
  );
});

describe.each(ENGINES)('a port that is taken, over %s', { timeout: 120_000 }, (http) => {
  const begin = async (port: number) => {
    const dataDir = join(freshDataDir(), 'data');
    const flags = ['--port', String(port), '--http', http, '--data', dataDir];
    return { dataDir, ...(await runCli(['serve', '--json', ...flags])) };
  };

  test('by a program of others: wrong usage, in one line, and nothing is left behind', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const { code, stdout, stderr, dataDir } = await begin(port);
    holder.close();
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^stoa: PORT_IN_USE: Port \d+ at 127\.0\.0\.1 is in use by .* \(pid \d+\)\. Pass `--port \d+` or `--port 0` \(any free port\)\. \{.*\}\n$/,
    );
    expect(existsSync(dataDir)).toBe(false);
  });

  test('by a server with another data directory: both are named, and the first goes on', async () => {
    const first = await startRealServer(freshDataDir(), ['--http', http]);
    const port = Number(new URL(first.ready.base_url).port);
    const { code, stderr } = await begin(port);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `in use by a Stoa server, data directory ${first.dataDir} (pid ${first.ready.pid}).`,
    );
    expect((await fetch(`${first.ready.base_url}/healthz`)).status).toBe(200);
    expect(await first.stop()).toBe(0);
  });
});

test('a foreign chain without its key is refused before anything starts', {
  timeout: 60_000,
}, async () => {
  const env = { STOA_RPC_URL: 'http://127.0.0.1:1', STOA_TOKEN_ADDRESS: `0x${'1'.repeat(40)}` };
  const { code, stderr } = await runCli(['serve', '--data', freshDataDir()], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('NOT_CONFIGURED: `STOA_RPC_URL` also requires `STOA_OPERATOR_KEY`');
});

test('a signal in the middle of the start leaves neither a server nor a chain behind', {
  timeout: 60_000,
}, async () => {
  const dataDir = freshDataDir();
  const args = [await cliPath(), 'serve', '--json', '--port', '0', '--data', dataDir];
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: bareEnvironment() });
  const record = join(dataDir, 'chain', 'anvil.json');
  await expect.poll(() => pidIn(record), { timeout: 30_000, interval: 1 }).toBeGreaterThan(0);
  const chain = pidIn(record);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  await expect.poll(() => isAlive(chain), { timeout: 5_000 }).toBe(false);
});

/** Files that others than the user could read: neither their mode nor a folder above forbids it. */
function openFiles(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => isOpen(path) && foldersBetween(root, path).every(isOpen));
}

function isOpen(path: string): boolean {
  return (statSync(path).mode & 0o077) !== 0;
}

function foldersBetween(root: string, path: string): readonly string[] {
  const folder = dirname(path);
  return folder === root ? [] : [folder, ...foldersBetween(root, folder)];
}

/** The operator's token and the two keys of the chain. */
function secretsOf(dataDir: string): readonly string[] {
  const keys: Record<string, string> = JSON.parse(
    readFileSync(join(dataDir, 'chain', 'keys.json'), 'utf8'),
  );
  const token = readFileSync(join(dataDir, 'token'), 'utf8').trim();
  return [token, ...Object.values(keys).map((key) => key.replace(/^0x/, ''))];
}

function pidIn(file: string): number {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).pid ?? 0;
  } catch {
    return 0;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
