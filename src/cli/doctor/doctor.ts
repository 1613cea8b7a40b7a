import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Environment, parseConfig } from '../../config.ts';
import { toAppError } from '../../domain/common/error.ts';
import { findDamage } from '../../process/inspect/inspect-directory.ts';
import { isListening, localAddress } from '../../process/server/data-lock.ts';
import { packageRoot } from '../../process/server/package-root.ts';
import { downloadServer } from '../../providers/hosting/local/key-value/packages.ts';
import {
  findServer,
  getDownloadFolder,
  SERVER_NAMES,
} from '../../providers/hosting/local/key-value/program.ts';
import { openSandbox } from '../../providers/hosting/local/sandbox.ts';
import { parseModelList } from '../../providers/llm/model-list.ts';
import { spawnSync } from '../../system/child.ts';
import { sealDescriptors } from '../../system/descriptors.ts';
import loadLmdb from '../../system/load-lmdb.ts';
import { isUwsInstalled, loadUws, UWS_INSTALL } from '../../transport/http/uws/uws-native.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';
import { checkHosting } from './doctor-hosting.ts';
import type { Finding, Installer } from './finding.ts';
import { describeFix, formatFinding } from './finding.ts';

/** Programs needed to fetch packages. */
const FETCH_PROGRAMS = ['/usr/bin/apt-get', '/usr/bin/apt-cache', '/usr/bin/dpkg-deb'];

const CAPTIONS_OFF = 'not set: content_youtube-research uses only transcripts that callers supply';

const require = createRequire(import.meta.url);
const DISK_ADVISED_BYTES = 1024 ** 3;

/**
 * `stoa doctor`: reports per feature what is present and what is
 * missing, with the command that installs it. `--fix` runs those commands, each after confirmation.
 *
 * @returns 0 if everything without a substitute is present.
 */
export async function doctor(flags: Input<typeof OPERATE.doctor>): Promise<number> {
  const findings = await examine(resolve(flags.data), process.env);
  for (const finding of findings) process.stdout.write(formatFinding(finding));
  const fixable = findings.filter((finding) => finding.fix !== undefined);
  if (flags.fix) for (const finding of fixable) await applyFix(finding, flags.yes);
  const after = flags.fix ? await examine(resolve(flags.data), process.env) : findings;
  return after.some((finding) => finding.state === 'missing') ? 1 : 0;
}

async function examine(dataDir: string, env: Environment): Promise<readonly Finding[]> {
  const starts = checkChildProcesses();
  const parts = [
    checkNode(),
    checkStore(),
    starts,
    checkHttpEngine(),
    checkChain(env),
    checkDataDir(dataDir),
    checkModels(env),
  ];
  const all = [...parts, checkCaptions(env), ...(await checkDamage(dataDir))];
  // The remaining checks start programs.
  if (starts.state === 'missing') return all;
  return [...all, ...(await checkHosting(env)), await checkKeyValue(dataDir, env)];
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major > 20 || (major === 20 && minor >= 12);
  return {
    feature: 'everything',
    needs: 'Node 20.12 or newer',
    state: fits ? 'ok' : 'missing',
    detail: `Node ${process.versions.node}${fits ? '' : '; install a newer one'}`,
  };
}

function checkStore(): Finding {
  const finding = { feature: 'store', needs: 'lmdb with its native part' };
  try {
    loadLmdb();
    return { ...finding, state: 'ok', detail: 'loads' };
  } catch (thrown) {
    const { message } = toAppError(thrown);
    const fix = installPinned(`@lmdb/lmdb-${process.platform}-${process.arch}`);
    return { ...finding, state: 'missing', detail: message, ...fix };
  }
}

function checkChildProcesses(): Finding {
  const needs = 'koffi with its native part';
  try {
    sealDescriptors();
    return { feature: 'processes that the server starts', needs, state: 'ok', detail: 'loads' };
  } catch (thrown) {
    return {
      feature: 'processes that the server starts',
      needs,
      state: 'missing',
      detail: toAppError(thrown).message,
      ...installPinned(`@koromix/koffi-${process.platform}-${process.arch}`),
    };
  }
}

function checkHttpEngine(): Finding {
  const finding = { feature: 'fast HTTP front', needs: 'native uWebSockets.js' };
  if (loadUws() !== undefined) return { ...finding, state: 'ok', detail: 'loads' };
  const other = 'the server uses node:http, which is complete but slower';
  if (isUwsInstalled()) {
    return { ...finding, state: 'reduced', detail: `no binary for this Node version; ${other}` };
  }
  return {
    ...finding,
    state: 'reduced',
    detail: `not installed; ${other}`,
    fix: ['npm', 'install', '--no-save', UWS_INSTALL],
  };
}

function checkChain(env: Environment): Finding {
  if (env['STOA_RPC_URL']) {
    return {
      feature: 'payments',
      needs: 'a chain',
      state: 'ok',
      detail: 'STOA_RPC_URL is set; the embedded chain is not used',
    };
  }
  const name = anvilPackage();
  const found = name !== undefined && canResolve(`${name}/package.json`);
  const fix = name === undefined || found ? {} : installPinned(name);
  return {
    feature: 'payments',
    needs: 'the embedded chain (anvil)',
    state: found ? 'ok' : 'missing',
    detail: found ? name : 'no anvil for this platform; set STOA_RPC_URL to your own chain',
    ...fix,
  };
}

/** The command that installs a package at the version that this server pins, if it pins one. */
function installPinned(name: string): Pick<Finding, 'fix'> {
  const manifest = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  const version = manifest.optionalDependencies?.[name];
  return version === undefined
    ? {}
    : { fix: ['npm', 'install', '--no-save', `${name}@${version}`] };
}

function anvilPackage(): string | undefined {
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
  if (!['linux', 'darwin', 'win32'].includes(process.platform) || arch === undefined) {
    return undefined;
  }
  return `@foundry-rs/anvil-${process.platform}-${arch}`;
}

function checkDataDir(dataDir: string): Finding {
  try {
    const place = existingAncestor(dataDir);
    if (!statSync(place).isDirectory()) return unwritableFinding();
    accessSync(place, constants.W_OK);
    const { bavail, bsize } = statfsSync(place);
    const free = bavail * bsize;
    return {
      feature: 'data directory',
      needs: 'a writable directory with 1 GiB free',
      state: free >= DISK_ADVISED_BYTES ? 'ok' : 'reduced',
      detail: `${(free / DISK_ADVISED_BYTES).toFixed(1)} GiB free`,
    };
  } catch {
    return unwritableFinding();
  }
}

/** Checks the data directory for damage that prevents a start. Reads every page of every store. */
async function checkDamage(dataDir: string): Promise<readonly Finding[]> {
  if (!existsSync(dataDir)) return [];
  const finding = { feature: 'data directory', needs: 'undamaged files' };
  if (await isListening(localAddress(dataDir))) {
    return [{ ...finding, state: 'ok', detail: 'in use by a server; stop it to check' }];
  }
  const found = findDamage(dataDir);
  return found.map(({ message }) => ({ ...finding, state: 'missing', detail: message }));
}

/** Returns the folder, or its nearest existing parent, because a check must not create anything. */
function existingAncestor(path: string): string {
  return existsSync(path) ? path : existingAncestor(dirname(path));
}

function unwritableFinding(): Finding {
  return {
    feature: 'data directory',
    needs: 'a writable directory',
    state: 'missing',
    detail: 'cannot be written; choose another with --data',
  };
}

function checkModels(env: Environment): Finding {
  const finding = {
    feature: 'panels with language models',
    needs: 'STOA_LLM_MODELS and its keys',
  };
  try {
    const { llmModels, secret } = parseConfig([], env);
    const entries = parseModelList(llmModels);
    const variables = entries.flatMap(({ keyVariable }) => keyVariable ?? []);
    const unset = [...new Set(variables)].filter((name) => (secret(name) ?? '') === '');
    if (entries.length === 0) return { ...finding, state: 'reduced', detail: NO_MODELS };
    const detail =
      unset.length === 0 ? `${entries.length} configured` : `${unset.join(', ')} not set`;
    return { ...finding, state: unset.length === 0 ? 'ok' : 'reduced', detail };
  } catch (thrown) {
    // An invalid configuration would prevent the server from starting.
    return { ...finding, state: 'missing', detail: toAppError(thrown).message };
  }
}

const NO_MODELS = 'not set: panels use rule-based seats, or the caller’s own agent';

async function applyFix({ fix: way, feature }: Finding, isAgreed: boolean): Promise<void> {
  if (way === undefined) return;
  const shown = describeFix(way);
  if (!isAgreed && !(await confirm(`Run "${shown}" for ${feature}? [y/N] `))) return;
  process.stdout.write(`running ${shown}\n`);
  process.stdout.write(`${'fetch' in way ? await runInstaller(way) : runCommand(way)}\n`);
}

function runCommand([command = '', ...rest]: readonly string[]): string {
  const { status } = spawnSync(command, rest, { stdio: 'inherit', cwd: installRoot() });
  return status === 0 ? 'done' : `failed with exit code ${status}`;
}

async function runInstaller({ fetch }: Installer): Promise<string> {
  try {
    await fetch();
    return 'done';
  } catch (thrown) {
    return `failed: ${toAppError(thrown).message}`;
  }
}

/** Returns where packages are installed: the checkout, or the project that depends on it. */
function installRoot(): string {
  const own = packageRoot();
  const [project = own] = own.split(/[\\/]node_modules[\\/]/);
  return project;
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(question);
  prompt.close();
  return /^y(es)?$/i.test(answer.trim());
}

function canResolve(name: string): boolean {
  try {
    return existsSync(require.resolve(name));
  } catch {
    return false;
  }
}

/** Checks whether the operator has enabled captions of videos. */
function checkCaptions(env: Environment): Finding {
  const finding = { feature: 'captions of videos', needs: 'STOA_YOUTUBE_CAPTIONS=on' };
  try {
    const { youtubeCaptions: isOn } = parseConfig([], env);
    if (!isOn) return { ...finding, state: 'reduced', detail: CAPTIONS_OFF };
    return { ...finding, state: 'ok', detail: 'fetched from YouTube, whose terms forbid it' };
  } catch (thrown) {
    // An invalid configuration would prevent the server from starting.
    return { ...finding, state: 'missing', detail: toAppError(thrown).message };
  }
}

/** Checks whether Key Value instances can be hosted; the fix unpacks Debian packages. */
async function checkKeyValue(dataDir: string, env: Environment): Promise<Finding> {
  const feature = 'Key Value';
  const needs = `${SERVER_NAMES.join(' or ')}, 7 or newer`;
  // Hosting needs Linux; the search below calls Linux programs.
  if (process.platform !== 'linux') {
    return { feature, needs, state: 'reduced', detail: 'hosting needs Linux' };
  }
  const folder = getDownloadFolder(join(dataDir, 'hosting', 'local'));
  const found = await findServer(openSandbox(env), folder);
  if ('server' in found) return { feature, needs, state: 'ok', detail: found.server.version };
  const finding: Finding = { feature, needs, state: 'reduced', detail: found.why };
  if (!FETCH_PROGRAMS.every((file) => existsSync(file))) return finding;
  const fetch = async (): Promise<void> => void (await downloadServer(folder));
  return { ...finding, fix: { told: `unpack Debian's packages into ${folder}`, fetch } };
}
