import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { AppError } from '../../../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../../../domain/common/time.ts';
import type { FeatureAvailability } from '../../../../domain/hosting/hosting.ts';
import { execFile } from '../../../../system/child.ts';
import { findProgram } from '../../../sandbox/find-program.ts';
import type { Sandbox } from '../sandbox.ts';
import { isMajor, MAJORS, type Major, PACKAGE, RELEASES, type Release } from './releases.ts';

const run = promisify(execFile);
/** Timeout for downloading a package, in milliseconds. */
const FETCH_MS = 10 * MINUTE_MS;
const VERSION_MS = 10 * SECOND_MS;
/** Maximum output of the package manager, in bytes. */
const OUTPUT_BYTES_MAX = 16 * 1_048_576;
/** Folder in which Debian installs the programs of a major version. */
const MACHINE_FOLDER = '/usr/lib/postgresql';
/** Variables that configure the package manager. */
const NPM_VARIABLES =
  /^(PATH|HOME|npm_config_.*|NPM_CONFIG_.*|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** Programs of one Postgres major version. */
export interface PostgresPrograms {
  /** Folder that contains `bin`. */
  readonly folder: string;
  /** Whether it is downloaded to a private folder and must be mounted for the server. */
  readonly isFetched: boolean;
}

/** Dependencies for finding programs. */
export interface ProgramParts {
  /** Folder of downloaded programs. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly arch?: string;
}

/** Postgres programs: those of the machine first, then those of a pinned package. */
export interface PostgresProgramRegistry {
  abilities(): Promise<Readonly<Record<string, FeatureAvailability>>>;
  /**
   * Returns the programs of a major version and downloads them if they are missing.
   *
   * @throws {AppError} `NOT_CONFIGURED` if the machine cannot run them; `HOST_UNAVAILABLE` if the
   * download failed or the package differs from the pinned one.
   */
  programs(major: string, signal: AbortSignal): Promise<PostgresPrograms>;
}

/** Finds Postgres programs and downloads them on first use. */
export function openProgramRegistry(parts: ProgramParts): PostgresProgramRegistry {
  const downloads = new Map<Major, Promise<PostgresPrograms>>();
  return {
    abilities: async () => {
      const found = MAJORS.map(async (major) => [major, await getAbility(parts, major)] as const);
      return Object.fromEntries(await Promise.all(found));
    },
    programs: async (major, signal) => {
      signal.throwIfAborted();
      const ability: FeatureAvailability = isMajor(major)
        ? await getAbility(parts, major)
        : { able: false, why: `Postgres ${major} is not supported` };
      if (!isMajor(major) || !ability.able) {
        const message = ability.able ? '' : ability.why;
        throw new AppError('NOT_CONFIGURED', { message, data: { received: major } });
      }
      const found = findInstalled(parts, major);
      if (found !== undefined) return found;
      const download = downloads.get(major) ?? downloadRelease(parts, RELEASES[major]);
      downloads.set(major, download);
      try {
        return await download;
      } finally {
        downloads.delete(major);
      }
    },
  };
}

async function getAbility(parts: ProgramParts, major: Major): Promise<FeatureAvailability> {
  const { sandbox, env, arch = process.arch } = parts;
  if (process.getuid?.() === 0 && sandbox.level === 'process') {
    return { able: false, why: 'Postgres does not run as root, and there is no other user here' };
  }
  const machine = findOnMachine(parts, major);
  if (machine !== undefined) {
    const file = join(machine.folder, 'bin', 'postgres');
    const { stdout } = await run(file, ['--version'], { timeout: VERSION_MS });
    return { able: true, version: /\d+(\.\d+)*/.exec(stdout)?.[0] ?? major };
  }
  const { version, sha512 } = RELEASES[major];
  const [shortVersion = version] = version.split('.0-');
  if (findDownloaded(parts, RELEASES[major]) !== undefined)
    return { able: true, version: shortVersion };
  if (sha512[arch] === undefined) {
    return { able: false, why: `Postgres ${major} has no programs for ${arch}` };
  }
  for (const name of ['npm', 'tar']) {
    if (findInPath(env, name) === undefined) {
      return { able: false, why: `${name}, which downloads Postgres ${major}, was not found` };
    }
  }
  return { able: true, version: shortVersion };
}

function findInstalled(parts: ProgramParts, major: Major): PostgresPrograms | undefined {
  return findOnMachine(parts, major) ?? findDownloaded(parts, RELEASES[major]);
}

function findOnMachine({ sandbox }: ProgramParts, major: Major): PostgresPrograms | undefined {
  const folder = join(MACHINE_FOLDER, major);
  const path = join(folder, 'bin');
  const has = ['postgres', 'initdb'].every((name) => findProgram(name, { ...sandbox, path }));
  return has ? { folder, isFetched: false } : undefined;
}

function findDownloaded(parts: ProgramParts, { version }: Release): PostgresPrograms | undefined {
  const folder = join(parts.folder, version);
  return existsSync(join(folder, 'bin', 'postgres')) ? { folder, isFetched: true } : undefined;
}

function findInPath(env: ProgramParts['env'], name: string): string | undefined {
  const path = env['PATH'] ?? '';
  return findProgram(name, { level: 'process', path } as Sandbox);
}

async function downloadRelease(parts: ProgramParts, release: Release): Promise<PostgresPrograms> {
  const { folder, env, arch = process.arch } = parts;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const work = mkdtempSync(join(folder, 'new-'));
  try {
    const file = await downloadPackage(`${PACKAGE}-${arch}@${release.version}`, { work, env });
    const sum = createHash('sha512').update(readFileSync(file)).digest('base64');
    if (sum !== release.sha512[arch]) {
      const message = `The package of Postgres ${release.version} has a wrong checksum.`;
      throw new AppError('HOST_UNAVAILABLE', { message, data: { received: sum } });
    }
    const tar = findInPath(env, 'tar') ?? 'tar';
    const flags = ['--no-same-owner', '--no-same-permissions', '-xzf', file, '-C', work];
    await run(tar, [...flags, 'package/native'], { timeout: FETCH_MS });
    const native = join(work, 'package', 'native');
    createLinks(native);
    const target = join(folder, release.version);
    // A concurrent download produces the same files.
    if (!existsSync(target)) renameSync(native, target);
    return { folder: target, isFetched: true };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Downloads a package with the package manager, from its configured registry. */
async function downloadPackage(
  spec: string,
  { work, env }: { readonly work: string; readonly env: ProgramParts['env'] },
): Promise<string> {
  const own = Object.entries(env).filter(([name]) => NPM_VARIABLES.test(name));
  const flags = ['--ignore-scripts', '--json', '--loglevel=error', `--pack-destination=${work}`];
  try {
    const { stdout } = await run(findInPath(env, 'npm') ?? 'npm', ['pack', spec, ...flags], {
      cwd: work,
      env: Object.fromEntries(own) as NodeJS.ProcessEnv,
      timeout: FETCH_MS,
      maxBuffer: OUTPUT_BYTES_MAX,
    });
    const [made] = JSON.parse(stdout) as readonly { readonly filename: string }[];
    return join(work, (made?.filename ?? '').replace(/^@/, '').replace('/', '-'));
  } catch (cause) {
    const message = `${spec} could not be downloaded from the npm registry.`;
    throw new AppError('HOST_UNAVAILABLE', { message, data: { received: spec }, cause });
  }
}

/** npm packages cannot contain links, so a list describes them. */
function createLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  const place = (path: string): string => join(native, path.replace(/^native\//, ''));
  for (const { source, target } of links) {
    const at = place(target);
    if (!existsSync(at)) symlinkSync(relative(dirname(at), place(source)), at);
  }
}
