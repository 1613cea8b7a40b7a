import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { SECOND_MS } from '../../../../domain/common/time.ts';
import type { FeatureAvailability } from '../../../../domain/hosting/hosting.ts';
import { execFile } from '../../../../system/child.ts';
import { findProgram } from '../../../sandbox/find-program.ts';
import type { Sandbox } from '../sandbox.ts';

const run = promisify(execFile);
const VERSION_MS = 10 * SECOND_MS;
/** Supported servers, in order of preference. */
export const SERVER_NAMES = ['valkey-server', 'redis-server'] as const;
/** Minimum major version: the first one with sufficiently strict ACLs. */
const MAJOR_MIN = 7;
/** Folders searched in addition to the search path. */
const EXTRA_FOLDERS = [
  '/usr/local/bin',
  '/usr/bin',
  '/usr/sbin',
  '/opt/valkey/bin',
  '/opt/redis/bin',
];

/** A server program on this machine. */
export interface ServerProgram {
  /** Path; inside `home` if it was downloaded. */
  readonly file: string;
  /** Folder of the unpacked packages that contain it and its libraries. */
  readonly home?: string;
}

/** A server with its name and version, such as `Redis 7.0.15`. */
export interface KnownServer extends ServerProgram {
  readonly version: string;
}

/** A server program, or why there is none. */
export type FoundServer = { readonly server: KnownServer } | { readonly why: string };

/** Returns the folder of downloaded server programs, inside the host's root folder. */
export function getDownloadFolder(root: string): string {
  return join(root, 'programs', 'key-value');
}

/**
 * Finds a server program that tenants may run, and determines its version.
 *
 * @param downloadFolder - Folder of unpacked packages; it may be missing.
 * @param extraFolders - Folders searched in addition to the search path.
 * @returns The program, or why there is none.
 */
export async function findServer(
  sandbox: Pick<Sandbox, 'level' | 'path'>,
  downloadFolder: string,
  extraFolders: readonly string[] = EXTRA_FOLDERS,
): Promise<FoundServer> {
  const path = [...new Set([...sandbox.path.split(delimiter), ...extraFolders])].join(delimiter);
  const reasons: string[] = [];
  for (const program of listCandidates({ level: sandbox.level, path }, downloadFolder)) {
    const known = await probeServer(program);
    if ('server' in known) return known;
    reasons.push(known.why);
  }
  const missing = `neither ${SERVER_NAMES.join(' nor ')} was found in ${path}`;
  return { why: `${reasons[0] ?? missing}; run stoa doctor --fix to download one` };
}

/** Returns the Key Value ability of this machine. */
export function toKeyValueAbility(found: FoundServer): FeatureAvailability {
  return 'server' in found
    ? { able: true, version: found.server.version }
    : { able: false, why: found.why };
}

/**
 * Returns the shell command that starts a program, with the path of its libraries if it has its
 * own.
 *
 * @param home - Its folder as seen by the started process.
 */
export function serverCommand({ file, home: own }: ServerProgram, home: string): string {
  if (own === undefined) return quoteWord(file);
  const libraries = listLibraryFolders(own).map((folder) => join(home, folder));
  const program = join(home, file.slice(own.length));
  return `LD_LIBRARY_PATH=${quoteWord(libraries.join(':'))} ${quoteWord(program)}`;
}

function listCandidates(
  sandbox: Pick<Sandbox, 'level' | 'path'>,
  fetched: string,
): readonly ServerProgram[] {
  const installed = SERVER_NAMES.map((name) => findProgram(name, sandbox)).filter(
    (file) => file !== undefined,
  );
  // Tenants get the folder mounted, so they need not reach it from the root.
  const unpacked = SERVER_NAMES.map((name) => join(fetched, 'usr', 'bin', name)).filter(existsSync);
  return [
    ...installed.map((file) => ({ file })),
    ...unpacked.map((file) => ({ file, home: fetched })),
  ];
}

async function probeServer(program: ServerProgram): Promise<FoundServer> {
  const { file, home = '' } = program;
  try {
    const command = `exec env ${serverCommand(program, home)} --version`;
    const { stdout } = await run('/bin/sh', ['-c', command], { timeout: VERSION_MS });
    const [, name, version = ''] = /(Valkey|Redis) server v=(\d+(?:\.\d+)+)/i.exec(stdout) ?? [];
    if (name === undefined) return { why: `${file} is neither Valkey nor Redis` };
    if (Number.parseInt(version, 10) < MAJOR_MIN) {
      return { why: `${file} has version ${version}; it must be ${MAJOR_MIN} or newer` };
    }
    return { server: { ...program, version: `${name} ${version}` } };
  } catch {
    return { why: `${file} --version failed` };
  }
}

/** Returns the library folders of unpacked packages, relative to their root. */
function listLibraryFolders(home: string): readonly string[] {
  return ['usr/lib', 'lib'].flatMap((base) => {
    const folder = join(home, base);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => /-linux-/.test(name))
      .map((name) => join(base, name));
  });
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
