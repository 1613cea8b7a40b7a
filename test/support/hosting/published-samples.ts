import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { detectIsolation, listMissing } from '../../../src/providers/hosting/local/isolation.ts';
import type { HostingClient } from './hosting-client.ts';
import { type HostingServer, hostingServer } from './real-hosting.ts';
import { repository } from './sources.ts';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '..', '..', '..', '.cache', 'sample-repositories');
const FETCH_MS = 300_000;
/** Packages that samples need are taken as the registry had them on this day. */
const BEFORE = '2026-11-20';
/** The package of Debian that holds the router chi for Go, with its examples. */
const CHI = 'golang-github-go-chi-chi-dev';

/** Packages of npm that are samples, or write some: all under the MIT licence. */
const PACKAGES = {
  'cors-anywhere': [
    '0.4.4',
    '8OBFwnzMgR4mNrAeAyOLB2EruS2z7u02of2bOu7i9kKYlZG+niS7CTHLPgEXKWW2NAOJWRry9RRCaL9lJRjNqg==',
  ],
  'create-next-app': [
    '16.4.3',
    '4/NiigySbvp7fKT/lmhzoA1NGfcSkpuXqiw3r7TNsQN3V8eeAfpaofLt/1Cpn20Q4L4cdSDpvaOWMtA+nnocJg==',
  ],
  'create-vite': [
    '9.3.0',
    'sIWQyXxxE+lGL27GEnZocFyLu2RjvepedHrD6wu4xPsK1+iff+YrT6ntUGkoXrcezbUiV4ct+hXW0b50kAJxBg==',
  ],
  'express-generator': [
    '4.16.1',
    'tWYEx5Y/Llos2qC6yAETmdqEMEPqNUzJ8btGcSZ2zSr8RYOalzffhvh9zx5OQTctvOgJ9kKYxyvFGAIuUuF/wA==',
  ],
  'fastify-cli': [
    '7.4.1',
    '7Jsfj2uLuGWvnxjrGDrHWpSm65+OcVx0ZbTD2wwkz6Wt6KjGm6+ZYwwpdXdwAlzbJYq+LCEMNvDJc4485AQ1vQ==',
  ],
  'html5-boilerplate': [
    '9.0.1',
    'VNWLXEMlHEITjbpwUiFF6dUHaflkaikZq62cuWXVZNDSVBNHscT352jaAU0OZm0aXTT1m+XKtDDUiYWZBVDRGA==',
  ],
} as const;

/** The name of a package of samples. */
export type SamplePackage = keyof typeof PACKAGES;

/**
 * Fetches packages once, into the cache of the tests; each is checked against its pinned sum.
 *
 * @returns Why they are not there; `undefined` when they are. With `CI=true` it throws instead.
 */
export function fetchSamples(...names: readonly SamplePackage[]): string | undefined {
  try {
    for (const name of names) fetchPackage(name);
    return undefined;
  } catch (thrown) {
    if (process.env['CI'] === 'true') throw thrown;
    return `the registry gave no ${names.join(', ')}`;
  }
}

/** Puts the files of a package, or of a folder in it, into another folder. */
export function unpackSample(name: SamplePackage, to: string, folder = '.'): void {
  const work = mkdtempSync(join(tmpdir(), 'stoa-sample-'));
  try {
    execFileSync('tar', ['--no-same-owner', '-xzf', fetchPackage(name), '-C', work]);
    cpSync(join(work, 'package', folder), to, { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs the program of a package that writes a project, and puts the project into a folder. */
export async function generateSample(
  name: SamplePackage,
  to: string,
  { file, args }: { readonly file: string; readonly args: (folder: string) => readonly string[] },
): Promise<void> {
  const program = await installGenerator(name, file);
  const work = mkdtempSync(join(tmpdir(), 'stoa-sample-'));
  try {
    const env = { ...process.env, HOME: work, XDG_CONFIG_HOME: work, CI: '1' };
    const folder = join(work, 'app');
    await run(process.execPath, [program, ...args(folder)], { env, timeout: FETCH_MS });
    cpSync(folder, to, { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Fetches the sources of chi from the packages of Debian, which are checked by apt.
 *
 * @returns Their folder; `undefined` where this machine has no such package. With `CI=true` it
 *   throws instead.
 */
export function fetchChi(): string | undefined {
  const home = join(CACHE, CHI);
  const tree = join(home, 'tree', 'usr', 'share', 'gocode', 'src', 'github.com', 'go-chi', 'chi');
  if (existsSync(tree)) return tree;
  mkdirSync(home, { recursive: true });
  try {
    downloadPackage(home);
    const [file = ''] = readdirSync(home).filter((name) => name.endsWith('.deb'));
    execFileSync('dpkg-deb', ['-x', join(home, file), join(home, 'tree')]);
    return tree;
  } catch (thrown) {
    if (process.env['CI'] === 'true') throw thrown;
    return undefined;
  }
}

/** A server at the default level of isolation, where the machine has it, whose builds reach npm. */
export async function sampleHosting(): Promise<HostingServer> {
  const trusts = listMissing(detectIsolation(process.env)).length > 0;
  return hostingServer({ STOA_HOSTING_REACH: await registryReach() }, { trusts });
}

/** A repository with files that `write` puts into its folder. */
export async function sampleRepository(
  { sources }: HostingServer,
  name: string,
  write: (folder: string) => Promise<void> | void,
) {
  const repo = repository(join(sources, name));
  await write(repo.path);
  repo.commit({}, 'The sample as it is published');
  return repo;
}

/** Creates a service with a tool and waits until it is live; a failure has the last log lines. */
export async function deploySample(
  client: HostingClient,
  tool: 'create_web_service' | 'create_static_site',
  args: object,
): Promise<{ readonly id: string; readonly url: string }> {
  const order = { autoDeploy: 'no', envVars: buildVariables(), ...args };
  const { service, deployId } = await client.call(tool, order);
  await waitLive(client, service.id, deployId);
  return { id: service.id, url: service.serviceDetails.url };
}

/** Deploys the newest commit and waits until it is live. */
export async function deployAgain(client: HostingClient, id: string): Promise<void> {
  const { deploy } = await client.call('trigger_deploy', { serviceId: id });
  await waitLive(client, id, deploy.id);
}

/** Lines of a service's log, the oldest first. */
export async function readLines(
  client: HostingClient,
  id: string,
  type: 'app' | 'build' | 'request',
): Promise<readonly string[]> {
  const asked = { resource: [id], type: [type], limit: 100, direction: 'forward' };
  const { logs } = await client.call('list_logs', asked);
  return logs.map(({ message }: { readonly message: string }) => message);
}

/** What makes npm in a build ask the registry of this machine, for packages of one day. */
export function buildVariables() {
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  const variables = {
    npm_config_registry: registryUrl().href,
    npm_config_before: BEFORE,
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
    ...(authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }),
  };
  return Object.entries(variables).map(([key, value]) => ({ key, value }));
}

async function waitLive(client: HostingClient, id: string, deployId: string): Promise<void> {
  const status = await client.over(id, deployId);
  if (status === 'live') return;
  const { deploy } = await client.call('get_deploy', { serviceId: id, deployId });
  const { logs } = await client.call('list_logs', { resource: [id], limit: 40 });
  const lines = logs.map(({ message }: { readonly message: string }) => message);
  throw new Error(`${status}: ${JSON.stringify(deploy.reason)}\n${lines.join('\n')}`);
}

function fetchPackage(name: SamplePackage): string {
  const [version, sum] = PACKAGES[name];
  mkdirSync(CACHE, { recursive: true });
  const file = join(CACHE, `${name}-${version}.tgz`);
  if (!existsSync(file)) npm(['pack', `${name}@${version}`, '--silent', '--ignore-scripts'], CACHE);
  const received = createHash('sha512').update(readFileSync(file)).digest('base64');
  if (received === sum) return file;
  rmSync(file);
  throw new Error(`${name}@${version} is not the pinned one: sha512 ${received}`);
}

async function installGenerator(name: SamplePackage, file: string): Promise<string> {
  const home = join(CACHE, `${name}-${PACKAGES[name][0]}`);
  const program = join(home, 'node_modules', name, file);
  if (existsSync(program)) return program;
  mkdirSync(home, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  const args = ['install', ...flags, `--before=${BEFORE}`, '--prefix', home, fetchPackage(name)];
  await run('npm', args, { cwd: home, timeout: FETCH_MS });
  return program;
}

/** Lists of packages that this machine lacks are fetched into a folder of their own. */
function downloadPackage(home: string): void {
  const download = (...options: readonly string[]) => {
    const args = ['-o', 'APT::Sandbox::User=root', ...options, 'download', CHI];
    execFileSync('apt-get', args, { cwd: home, stdio: 'pipe', timeout: FETCH_MS });
  };
  try {
    download();
  } catch {
    const lists = join(home, 'lists');
    mkdirSync(join(lists, 'partial'), { recursive: true });
    const own = ['-o', `Dir::State::Lists=${lists}`];
    execFileSync('apt-get', [...own, 'update'], { stdio: 'pipe', timeout: FETCH_MS });
    download(...own);
  }
}

function npm(args: readonly string[], cwd = tmpdir()): void {
  execFileSync('npm', args, { cwd, stdio: 'pipe', timeout: FETCH_MS });
}

function registryUrl(): URL {
  const asked = ['config', 'get', 'registry'];
  return new URL(execFileSync('npm', asked, { cwd: tmpdir(), encoding: 'utf8' }).trim());
}

/** The addresses of the registry: on some machines they are none of the public internet. */
async function registryReach(): Promise<string> {
  const { hostname, port, protocol } = registryUrl();
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
  const ports = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return found
    .map(({ address, family }) => (family === 6 ? `[${address}]:${ports}` : `${address}:${ports}`))
    .join(',');
}
