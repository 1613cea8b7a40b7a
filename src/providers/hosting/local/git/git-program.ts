import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MINUTE_MS, SECOND_MS } from '../../../../domain/common/time.ts';
import { execFile, spawn } from '../../../../system/child.ts';
import { dropPrivileges } from '../../../sandbox/privileges.ts';
import { measureTree } from './tree-size.ts';
import { rejectedSourceError } from './untrusted-folder.ts';

const run = promisify(execFile);
/** Timeouts of a fetch and of any other git command, in milliseconds. */
export const FETCH_MS = 10 * MINUTE_MS;
const COMMAND_MS = MINUTE_MS;
/** Maximum size of a file written by a fetch, in bytes. */
const FILE_BYTES_MAX = 2 * 1024 ** 3;
const OUTPUT_BYTES_MAX = 1024 * 1024;
/** Memory limit of one git process, in bytes, and its processor time, in seconds. */
const MEMORY_BYTES_MAX = 3 * 1024 ** 3;
const CPU_SECONDS_MAX = FETCH_MS / SECOND_MS;
/** `prlimit` flags for one git process. */
const LIMIT_FLAGS = [
  ...[`--fsize=${FILE_BYTES_MAX}`, `--as=${MEMORY_BYTES_MAX}`],
  ...[`--cpu=${CPU_SECONDS_MAX}`, '--core=0'],
];

/**
 * Git settings: only https and file protocols, no code of a repository is run, and nothing else is
 * read.
 */
const CONFIG = `[protocol]
\tallow = never
[protocol "https"]
\tallow = always
[protocol "file"]
\tallow = always
[core]
\thooksPath = /dev/null
\tfsmonitor = false
\tbigFileThreshold = 16m
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 256m
[pack]
\tthreads = 1
[submodule]
\trecurse = false
[fetch]
\trecurseSubmodules = false
\tfsckObjects = true
[http]
\tfollowRedirects = initial
\tlowSpeedLimit = 1000
\tlowSpeedTime = 60
[credential]
\thelper =
[safe]
\tdirectory = *
[gc]
\tauto = 0
[advice]
\tdetachedHead = false
`;

/** Options of one git call. */
interface GitOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  /** True if it contacts another machine; then the fetch user runs it. */
  readonly isForeign?: boolean;
}

/** How one git call is started. */
interface GitCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Dependencies of git. */
export interface GitProgramParts {
  /** Folder of git's settings, its home, and the repositories that receive pushes. */
  readonly folder: string;
  /** The user for contacting other machines; `undefined` means the daemon's user. */
  readonly fetcher: number | undefined;
  readonly path: string;
  /** CA file for https servers; default: git's own. */
  readonly authorities?: string;
}

/** Git with the server's limits and settings. */
export interface GitRunner {
  /** Runs git and returns its output, at most 1 MiB. Throws git's error. */
  readonly git: (args: readonly string[], o?: GitOptions) => Promise<string>;
  /**
   * Measures the fetched commit before its files are written.
   *
   * @throws {AppError} `INPUT_INVALID` naming the limit.
   */
  readonly assertTreeSize: (
    o: Required<Pick<GitOptions, 'cwd' | 'signal' | 'isForeign'>>,
  ) => Promise<void>;
  /** Gives an empty folder to the fetch user. */
  readonly giveToFetcher: (folder: string) => void;
}

/** Paths of the folder, git's settings and the CA file, as seen by the fetch user. */
const VIEW_ROOT = '/mnt';
const VIEW_SOURCE = `${VIEW_ROOT}/source`;
const VIEW_CONFIG = `${VIEW_ROOT}/gitconfig`;
const VIEW_AUTHORITIES = `${VIEW_ROOT}/authorities.pem`;

/**
 * Mount namespace of the fetch user, which cannot access the data directory except the folder it
 * fetches into. Git checks its real user with the kernel, so no capability grants it more.
 */
const VIEW_SCRIPT = [
  'set -e',
  'mount --make-rprivate /',
  // The sources may be below the mount point, so they are opened first.
  'exec 3< "$2" 4< "$3"',
  'cd "$1"',
  `mount -t tmpfs -o size=8m,mode=755 stoa ${VIEW_ROOT}`,
  `mkdir ${VIEW_SOURCE}`,
  `if [ "$1" != / ]; then mount --bind . ${VIEW_SOURCE}; fi`,
  `cat <&3 > ${VIEW_CONFIG}`,
  `cat <&4 > ${VIEW_AUTHORITIES}`,
  'exec 3<&- 4<&-',
  `chmod 444 ${VIEW_CONFIG} ${VIEW_AUTHORITIES}`,
  `cd ${VIEW_SOURCE}`,
  'shift 3',
  'exec "$@"',
].join('\n');

/** Writes git's settings and returns the git functions. */
export function openGit({ folder, fetcher, path, authorities }: GitProgramParts): GitRunner {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = join(folder, 'gitconfig');
  writeFileSync(config, CONFIG, { mode: 0o600 });
  const { env, viewEnv } = createEnvironments({ folder, path, authorities, config });
  const build = (args: readonly string[], { cwd, isForeign = false }: GitOptions): GitCommand => {
    const bounded = ['prlimit', ...LIMIT_FLAGS, 'git', ...args];
    if (!isForeign || fetcher === undefined) {
      return { program: 'setsid', args: bounded, cwd: cwd ?? folder, env };
    }
    const view = ['sh', '-c', VIEW_SCRIPT, 'stoa', cwd ?? '/', config, authorities ?? '/dev/null'];
    const asFetcher = dropPrivileges(fetcher, bounded);
    return {
      program: 'setsid',
      args: ['unshare', '--mount', '--', ...view, ...asFetcher],
      cwd: '/',
      env: authorities === undefined ? viewEnv : { ...viewEnv, GIT_SSL_CAINFO: VIEW_AUTHORITIES },
    };
  };
  const git = async (args: readonly string[], o: GitOptions = {}): Promise<string> => {
    const { program, args: rest, ...location } = build(args, o);
    const { signal, timeout = COMMAND_MS } = o;
    const bounds = { timeout, maxBuffer: OUTPUT_BYTES_MAX };
    const options = { ...location, ...bounds, ...(signal === undefined ? {} : { signal }) };
    const running = run(program, rest, options);
    try {
      return (await running).stdout;
    } catch (thrown) {
      killSession(running.child.pid);
      throw thrown;
    }
  };
  const refuseLargeTree: GitRunner['assertTreeSize'] = async ({ cwd, signal, isForeign }) => {
    const listing = ['ls-tree', '-r', '-l', '-z', 'FETCH_HEAD'];
    const { program, args, ...place } = build(listing, { cwd, isForeign });
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(program, args, {
      ...place,
      signal,
      timeout: COMMAND_MS,
      stdio: [...stdio],
    });
    const ended = new Promise<number | null>((done) => {
      child.on('error', () => done(null));
      child.on('close', done);
    });
    try {
      await measureTree(child.stdout as AsyncIterable<Buffer>);
      const code = await ended;
      if (code !== 0) throw rejectedSourceError(`git cannot list its files (exit code ${code})`);
    } finally {
      child.kill('SIGKILL');
    }
  };
  const giveToFetcher = (given: string): void => {
    if (fetcher !== undefined) chownSync(given, fetcher, fetcher);
  };
  return { git, assertTreeSize: refuseLargeTree, giveToFetcher };
}

/** Returns the environment of git for the server itself and for the fetch user. */
function createEnvironments({
  folder,
  path,
  authorities,
  config,
}: {
  readonly folder: string;
  readonly path: string;
  readonly authorities: string | undefined;
  readonly config: string;
}) {
  const env = {
    PATH: path,
    HOME: folder,
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    // These override the settings of any repository.
    GIT_ALLOW_PROTOCOL: 'https:file',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
    LC_ALL: 'C',
    ...(authorities === undefined ? {} : { GIT_SSL_CAINFO: authorities }),
  };
  const viewEnv = {
    ...env,
    HOME: '/nonexistent',
    GIT_CONFIG_GLOBAL: VIEW_CONFIG,
    GIT_CEILING_DIRECTORIES: `${VIEW_ROOT}:/`,
    GIT_ALLOW_PROTOCOL: 'https',
  };
  return { env, viewEnv };
}

/** Killing git leaves its child processes, such as the remote helper. */
function killSession(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    return;
  }
}
