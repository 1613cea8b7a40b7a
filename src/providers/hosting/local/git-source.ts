import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { AppError } from '../../../domain/error.ts';
import type { Deploy, Service } from '../../../domain/hosting/records.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { execFile } from '../../../system/child.ts';
import { repositoryIn } from './layout.ts';

const run = promisify(execFile);
/** Longest time for one question, and for one fetch, in milliseconds. */
const ASK_MS = MINUTE_MS;
const FETCH_MS = 10 * MINUTE_MS;
/** Largest file that a fetch may write, in bytes. */
const FILE_BYTES_MAX = 2 * 1024 ** 3;
const OUTPUT_BYTES_MAX = 1024 * 1024;
const BRANCH = /^(?![-./])(?!.*(\.\.|@\{|\/\/|\.lock$|[/.]$))[\w./+#-]{1,200}$/;

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

type Commit = NonNullable<Deploy['commit']>;

/** Where sources are taken from. */
export interface GitSource {
  /** What git is here. */
  version(): Promise<string | undefined>;
  /**
   * Checks where a service's source comes from.
   *
   * @throws {AppError} `INPUT_INVALID` naming what is allowed, `FORBIDDEN` where sources of others
   *   are not taken.
   */
  check(service: Service): void;
  /** Makes the repository that is pushed to, and gives its address. */
  pushUrl(serviceId: string): Promise<string>;
  /** Newest commit of the branch; `null` without one. Throws what git said. */
  head(service: Service): Promise<string | null>;
  /** Puts the files of a commit, or of the branch's newest one, into an empty folder. */
  checkout(
    service: Service,
    o: { readonly commitId: string | null; readonly folder: string; readonly signal: AbortSignal },
  ): Promise<Commit>;
  /** Removes the repository that was pushed to. */
  remove(serviceId: string): void;
}

/** What sources are taken with. */
export interface GitParts {
  /** Folder of the repositories that are pushed to, and of git's own settings. */
  readonly folder: string;
  /** The one folder of this machine that sources may come from. */
  readonly sources: string | undefined;
  /** Whether programs from elsewhere may be built and run here. */
  readonly takesForeign: boolean;
  /** The user that asks other machines; ours where there is no other. */
  readonly fetcher: number | undefined;
  readonly path: string;
}

/** Opens the way to sources. */
export function openGitSource(parts: GitParts): GitSource {
  const { folder, path } = parts;
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
    LC_ALL: 'C',
  };
  const git = async (args: readonly string[], o: GitOptions = {}): Promise<string> => {
    const { isForeign = false, ...more } = o;
    const user = isForeign && parts.fetcher !== undefined ? asUser(parts.fetcher) : [];
    const bounded = ['prlimit', `--fsize=${FILE_BYTES_MAX}`, '--core=0', 'git', ...args];
    const [program = '', ...rest] = [...user, ...bounded];
    const options = { timeout: ASK_MS, cwd: folder, ...more, env, maxBuffer: OUTPUT_BYTES_MAX };
    return (await run(program, rest, options)).stdout;
  };
  const repository = (serviceId: string): string => repositoryIn(folder, serviceId);
  const addressOf = ({ id, repo }: Service): string =>
    repo === '' ? pathToFileURL(repository(id)).href : sourceOf(parts, repo);
  return {
    version: async () => (await git(['--version']).catch(() => undefined))?.trim(),
    check: ({ repo, branch }) => {
      if (!BRANCH.test(branch)) throw invalid('branch', branch, 'the name of a branch');
      if (repo !== '') sourceOf(parts, repo);
    },
    pushUrl: async (serviceId) => {
      const place = repository(serviceId);
      if (!existsSync(place)) {
        rmSync(`${place}.new`, { recursive: true, force: true });
        await git(['init', '--quiet', '--bare', '--template=', `${place}.new`]);
        await git(['-C', `${place}.new`, 'config', 'core.hooksPath', '/dev/null']);
        renameSync(`${place}.new`, place);
      }
      return pathToFileURL(place).href;
    },
    head: async (service) => {
      const ref = `refs/heads/${service.branch}`;
      const address = addressOf(service);
      const told = await git(['ls-remote', '--', address, ref], { isForeign: isForeign(address) });
      return /^([0-9a-f]{40,64})\t/.exec(told)?.[1] ?? null;
    },
    checkout: async (service, { commitId, folder: cwd, signal }) => {
      const wanted = commitId ?? `refs/heads/${service.branch}`;
      const address = addressOf(service);
      const order = ['fetch', '--quiet', '--depth=1', '--no-tags', '--', address, wanted];
      const fetching = { cwd, signal, timeout: FETCH_MS, isForeign: isForeign(address) };
      await git(['init', '--quiet', '--template=', cwd], { signal });
      await git(order, fetching);
      await git(['checkout', '--quiet', '--detach', 'FETCH_HEAD'], { cwd, signal });
      const told = await git(['log', '-1', '--format=%H%n%cI%n%s', 'FETCH_HEAD'], { cwd, signal });
      const [id = '', at = '', ...subject] = told.trim().split('\n');
      rmSync(join(cwd, '.git'), { recursive: true, force: true });
      const createdAt = new Date(at).toISOString();
      return { id, message: subject.join(' ').slice(0, 500), createdAt };
    },
    remove: (serviceId) => rmSync(repository(serviceId), { recursive: true, force: true }),
  };
}

interface GitOptions {
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  /** Whether another machine is asked. */
  readonly isForeign?: boolean;
}

function isForeign(address: string): boolean {
  return !address.startsWith('file:');
}

/** Rules of the network hold for the user; files of the host stay open to it. */
function asUser(uid: number): readonly string[] {
  const caps = '-all,+dac_override,+dac_read_search,+fowner';
  return [
    ...['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups'],
    ...['--no-new-privs', `--inh-caps=${caps}`, `--ambient-caps=${caps}`, `--bounding-set=${caps}`],
  ];
}

/** The last words of git, for the owner of a service: its own addresses stay out of them. */
export function gitWords(thrown: unknown): string {
  const { stderr, message } = thrown as { readonly stderr?: unknown; readonly message?: string };
  const text = typeof stderr === 'string' && stderr !== '' ? stderr : (message ?? 'git failed');
  const line = text.trim().split('\n').at(-1) ?? '';
  return line.replace(/file:\/\/\S+|\/\S+/g, 'the repository').slice(0, 300);
}

/** An address that git is given: https, or a file inside the one folder that is allowed. */
function sourceOf({ sources, takesForeign }: GitParts, repo: string): string {
  const isPath = repo.startsWith('/') || repo.startsWith('file:///');
  if (isPath) return localSource(repo, sources);
  const url = URL.canParse(repo) ? new URL(repo) : undefined;
  const isHttps = url?.protocol === 'https:' && url.username === '' && url.password === '';
  if (!isHttps || repo.startsWith('-')) throw invalid('repo', repo, allowed(sources));
  if (!takesForeign) {
    throw new AppError('FORBIDDEN', {
      message:
        'repo: this machine cannot keep programs of others away from its network, so ' +
        'repositories from elsewhere are refused. Push the source instead (leave repo out), or ' +
        'the operator installs nftables or starts the server with --trust-repositories.',
      data: { path: 'repo', received: repo, allowed: allowed(sources) },
    });
  }
  return url.href;
}

function localSource(repo: string, sources: string | undefined): string {
  try {
    const root = realpathSync(sources ?? '');
    const place = realpathSync(repo.startsWith('/') ? repo : fileURLToPath(repo));
    if (sources !== undefined && place.startsWith(root + sep)) return pathToFileURL(place).href;
  } catch {
    throw invalid('repo', repo, allowed(sources));
  }
  throw invalid('repo', repo, allowed(sources));
}

function allowed(sources: string | undefined): string {
  const local = sources === undefined ? '' : ' or a repository in the operator’s folder of sources';
  return `an https address without a name and password${local}; left out, the source is pushed`;
}

function invalid(path: string, received: string, may: string): AppError {
  const shown = JSON.stringify(received.slice(0, 200));
  const message = `${path}: received ${shown}, allowed: ${may}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed: may } });
}
