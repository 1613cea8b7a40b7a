import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MINUTE_MS, SECOND_MS } from '../../../../domain/time.ts';
import { execFile, spawn } from '../../../../system/child.ts';
import { sourceRefused } from './closed-folder.ts';
import { measureTree } from './tree-size.ts';

const run = promisify(execFile);
/** Longest time for one fetch, in milliseconds, and for everything else. */
export const FETCH_MS = 10 * MINUTE_MS;
const ASK_MS = MINUTE_MS;
/** Largest file that a fetch may write, in bytes. */
const FILE_BYTES_MAX = 2 * 1024 ** 3;
const OUTPUT_BYTES_MAX = 1024 * 1024;
/** Memory of one program of git, in bytes, and its processor time, in seconds. */
const MEMORY_BYTES_MAX = 3 * 1024 ** 3;
const CPU_SECONDS_MAX = FETCH_MS / SECOND_MS;

/** Only https and files are spoken; nothing of a repository is run, and nothing else is read. */
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
[credential]
\thelper =
[safe]
\tdirectory = *
[gc]
\tauto = 0
[advice]
\tdetachedHead = false
`;

/** How one call of git differs from others. */
interface GitOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  /** Whether another machine is asked. */
  readonly isForeign?: boolean;
}

/** What git is run with. */
export interface GitProgramParts {
  /** Folder of git's own settings, its home, and of the repositories that are pushed to. */
  readonly folder: string;
  /** The user that asks other machines; ours where there is no other. */
  readonly fetcher: number | undefined;
  readonly path: string;
}

/** Git with bounds and settings of ours. */
export interface Git {
  /** Runs git and returns what it printed, 1 MiB at most. Throws what git said. */
  readonly git: (args: readonly string[], o?: GitOptions) => Promise<string>;
  /**
   * Measures the commit that was fetched, before its files are written.
   *
   * @throws {AppError} `INPUT_INVALID` naming the bound.
   */
  readonly refuseLargeTree: (cwd: string, signal: AbortSignal) => Promise<void>;
}

/** Writes git's settings and returns git. */
export function openGit({ folder, fetcher, path }: GitProgramParts): Git {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const config = join(folder, 'gitconfig');
  writeFileSync(config, CONFIG, { mode: 0o600 });
  const env = {
    PATH: path,
    HOME: folder,
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    // These hold whatever the settings of a repository say.
    GIT_ALLOW_PROTOCOL: 'https:file',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
    LC_ALL: 'C',
  };
  const git = async (args: readonly string[], o: GitOptions = {}): Promise<string> => {
    const { isForeign = false, ...more } = o;
    const [program, rest] = buildCommand(args, isForeign ? fetcher : undefined);
    const options = { timeout: ASK_MS, cwd: folder, ...more, env, maxBuffer: OUTPUT_BYTES_MAX };
    return (await run(program, rest, options)).stdout;
  };
  const refuseLargeTree = async (cwd: string, signal: AbortSignal): Promise<void> => {
    const [program, rest] = buildCommand(['ls-tree', '-r', '-l', '-z', 'FETCH_HEAD']);
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(program, rest, { cwd, env, signal, timeout: ASK_MS, stdio: [...stdio] });
    const ended = new Promise<number | null>((done) => {
      child.on('error', () => done(null));
      child.on('close', done);
    });
    try {
      await measureTree(child.stdout as AsyncIterable<Buffer>);
      const code = await ended;
      if (code !== 0) throw sourceRefused(`git cannot list its files (exit code ${code})`);
    } finally {
      child.kill('SIGKILL');
    }
  };
  return { git, refuseLargeTree };
}

/** A program of git with its bounds, as another user where one is given. */
function buildCommand(args: readonly string[], uid?: number): readonly [string, readonly string[]] {
  const bounds = [
    ...[`--fsize=${FILE_BYTES_MAX}`, `--as=${MEMORY_BYTES_MAX}`],
    ...[`--cpu=${CPU_SECONDS_MAX}`, '--core=0'],
  ];
  const bounded = ['prlimit', ...bounds, 'git', ...args];
  const [program = '', ...rest] = [...(uid === undefined ? [] : asUser(uid)), ...bounded];
  return [program, rest];
}

/** Rules of the network hold for the user; files of the host stay open to it. */
function asUser(uid: number): readonly string[] {
  const caps = '-all,+dac_override,+dac_read_search,+fowner';
  return [
    ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--no-new-privs', `--inh-caps=${caps}`, `--ambient-caps=${caps}`, `--bounding-set=${caps}`],
  ];
}
