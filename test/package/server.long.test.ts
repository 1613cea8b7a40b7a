import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { HAS_OTHER_NODES, nodeOf } from '../support/other-node.ts';
import { tempDir } from '../support/temp-dir.ts';
import { openWire } from '../support/wire-session.ts';
import { CHECKOUT, compile, pack } from './packed.ts';

const run = promisify(execFile);
/** Most bytes on the disk and most packages of an installation. */
const BYTES_MAX = 150_000_000;
const PACKAGES_MAX = 80;
/** Ten times the goals of 60 s to install and 15 s to serve: guards against a hang. */
const INSTALL_MS_MAX = 600_000;
const READY_MS_MAX = 150_000;
const NOBODY = 65_534;

const dir = tempDir();
const folder = join(dir.path, 'a folder with spaces');
const modules = join(folder, 'node_modules');
const cli = join(modules, 'stoa', 'dist', 'cli.js');
/** What npm said during the installation. */
let said = '';

beforeAll(async () => {
  await built();
  const archives = [await pack('console', dir.path), await pack('server', dir.path)];
  // Another user reads the installation in a test.
  chmodSync(dir.path, 0o755);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  const args = ['install', ...archives.map((archive) => join(dir.path, archive))];
  const { stdout, stderr } = await run('npm', args, { cwd: folder, timeout: INSTALL_MS_MAX });
  said = stdout + stderr;
}, INSTALL_MS_MAX + 240_000);
afterAll(dir.remove);

interface Start {
  readonly node?: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** Starts the installed server, with a data directory and without any program on the path. */
function start(name: string, { node = process.execPath, flags = [], env, uid }: Start = {}) {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const user = uid === undefined ? {} : { uid, gid: uid };
  if (uid !== undefined) chownSync(home, uid, uid);
  const args = ['serve', '--json', '--port', '0', '--data', join(home, 'the data'), ...flags];
  const server = spawn(node, [cli, ...args], {
    cwd: home,
    env: { PATH: join(home, 'nothing'), HOME: home, ...env },
    ...user,
  });
  let stderr = '';
  server.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return { server, stderr: () => stderr };
}

/** Waits for the ready line of a server, asks it once, looks at its console, and ends it. */
async function useServer({ server, stderr }: ReturnType<typeof start>): Promise<void> {
  try {
    const lines = createInterface(server.stdout);
    const signal = AbortSignal.timeout(READY_MS_MAX);
    const [line] = (await Promise.race([
      once(lines, 'line', { signal }),
      once(server, 'exit').then(() => [stderr()]),
    ])) as [string];
    expect(line).toContain('"ready":true');
    const { base_url: base, mcp_v1: mcp } = JSON.parse(line) as Record<string, string>;
    const wire = await openWire(mcp ?? '');
    const call = { name: 'get_result', arguments: { job_id: 'job_0000000000000000' } };
    const { message } = await wire.ask('tools/call', call);
    expect(message.result).toMatchObject({ isError: true, structuredContent: {} });
    const page = await fetch(`${base}/console/`, { redirect: 'follow' });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);
  } finally {
    await end(server);
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  server.kill('SIGTERM');
  await once(server, 'exit');
}

/** How a server that refuses to start ends, and its reason. */
async function refusal(begun: ReturnType<typeof start>): Promise<readonly [unknown, string]> {
  const [code] = (await once(begun.server, 'exit')) as [number | null];
  return [code, begun.stderr()];
}

test('it installs in 150 MB and 80 packages, without a warning or a script', async () => {
  expect(said).not.toMatch(/warn/i);
  const { stdout } = await run('du', ['-sk', 'node_modules'], { cwd: folder });
  expect(Number.parseInt(stdout, 10) * 1024).toBeLessThanOrEqual(BYTES_MAX);
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
  };
  const packages = Object.entries(lock.packages);
  expect(packages.length).toBeLessThanOrEqual(PACKAGES_MAX);
  expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  expect(readdirSync(join(modules, 'stoa', 'docs'))).not.toContain('screenshots');
  expect(readdirSync(join(modules, 'stoa', 'dist'))).not.toContain('web');
});

test('a program starts it as a library, and its types compile without those of other packages', async () => {
  const source = `
import { AppError, startStoa } from 'stoa';
const server = await startStoa(process.argv.slice(2), process.env, () => undefined);
const code: string = await startStoa(['--port', 'x'], {}, () => undefined).then(
  () => 'started',
  (error: unknown) => (error instanceof AppError ? error.code : String(error)),
);
await server.close();
process.stdout.write(JSON.stringify([server.ready.ready, code]));
`;
  writeFileSync(join(folder, 'use.mts'), source);
  await compile(folder, ['use.mts']);
  const args = ['use.mjs', '--port', '0', '--data', join(folder, 'library')];
  const { stdout } = await run(process.execPath, args, { cwd: folder, timeout: 120_000 });
  expect(JSON.parse(stdout)).toEqual([true, 'CONFIG_INVALID']);
}, 240_000);

test('it serves without git and without rights, below a path with spaces', async () => {
  await useServer(start('plain', process.getuid?.() === 0 ? { uid: NOBODY } : {}));
}, 300_000);

const isLeftOut = !HAS_OTHER_NODES && process.env['CI'] !== 'true';
describe.skipIf(isLeftOut).each(['22.23.3', '24.21.0'])('Node %s', (version) => {
  test('serves too', async () => {
    await useServer(start(`node ${version}`, { node: await nodeOf(version) }));
  }, 400_000);
});

test('it plays the whole tour, which pays, is killed and goes on', async () => {
  const { stdout } = await run(process.execPath, [cli, 'tour'], { cwd: folder, timeout: 240_000 });
  expect(stdout).toContain('server killed with SIGKILL');
  expect(stdout).toMatch(/^\d+\. Done/m);
  // The lines that the README shows are lines of it.
  const readme = readFileSync(join(CHECKOUT, 'README.md'), 'utf8');
  const shown = /```text\n([\s\S]*?)\n```/.exec(readme)?.[1]?.split('\n') ?? [];
  const seen = stdout.split('\n').map(hideNumbers);
  expect(shown.length).toBe(10);
  for (const line of shown) expect(seen).toContain(hideNumbers(line));
}, 300_000);

function hideNumbers(line: string): string {
  return line.trim().replaceAll(/\d+/g, '0');
}

test('what runs in threads is there whole', async () => {
  const providers = join(modules, 'stoa', 'dist', 'providers');
  const files = readdirSync(providers, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(-worker\.mjs|exchanges\/\w+\.js)$/.test(path))
    .map((path) => pathToFileURL(join(providers, path)).href);
  expect(files.length).toBe(5 + 7);
  const program = 'for (const file of process.argv.slice(1)) await import(file);';
  const args = ['--input-type=module', '--eval', program, ...files];
  const { stderr } = await run(process.execPath, args, { cwd: folder, timeout: 60_000 });
  expect(stderr).toBe('');
});

test('signatures are checked by native code', async () => {
  const native = join(modules, 'stoa', 'dist', 'native', 'secp256k1.cjs');
  const program = `require(${JSON.stringify(native)}); process.stdout.write(
    String(process.report.getReport().sharedObjects.some((file) => file.includes('secp256k1'))));`;
  const { stdout } = await run(process.execPath, ['--eval', program], { timeout: 60_000 });
  expect(stdout).toBe(String(['linux-x64', 'darwin-arm64', 'win32-x64'].includes(PLATFORM)));
});

describe('a part that is absent is told with the command that installs it', () => {
  test('the native front', async () => {
    const [code, reason] = await refusal(start('front', { flags: ['--http', 'uws'] }));
    expect(code).toBe(1);
    expect(reason).toContain('NOT_CONFIGURED');
    expect(reason).toContain('npm install uWebSockets.js@npm:@trufflesuite/uws-js-unofficial@');
  });

  test('traces', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const [code, reason] = await refusal(start('traces', { env }));
    expect(code).toBe(1);
    expect(reason).toMatch(/NOT_CONFIGURED.*npm install @opentelemetry\/api@1 /);
  });

  test.each(['@lmdb', '@koromix', '@foundry-rs'])('native code of %s', async (scope) => {
    const away = join(folder, 'away');
    renameSync(join(modules, scope), away);
    try {
      const [code, reason] = await refusal(start(`without ${scope.slice(1)}`));
      expect(code).toBe(1);
      expect(reason).toMatch(/NOT_CONFIGURED.*npm install --include=optional/);
      expect(reason).toContain(scope);
    } finally {
      renameSync(away, join(modules, scope));
    }
  });
});

const PLATFORM = `${process.platform}-${process.arch}`;
