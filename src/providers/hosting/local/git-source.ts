import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../../../domain/common/error.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { Deploy, Service } from '../../../domain/hosting/records.ts';
import { FETCH_MS, type GitProgramParts, type GitRunner, openGit } from './git/git-program.ts';
import { copyRepository, readBranch, readDefaultBranch } from './git/repository-copy.ts';
import {
  describeAllowedAddresses,
  findRepository,
  forbiddenAddressError,
  isLocalAddress,
  type LocalRepository,
  type LocalSources,
  listRoots,
} from './git/source-roots.ts';
import { repositoryPath } from './layout.ts';

/** Folder next to the files of a commit while they are fetched. */
const COPY_FOLDER = 'source.git';
const BRANCH = /^(?![-./])(?!.*(\.\.|@\{|\/\/|\.lock$|[/.]$))[\w./+#-]{1,200}$/;

/** Timeout for finding the default branch, in milliseconds; a caller waits for it. */
const DEFAULT_BRANCH_MS = 15 * SECOND_MS;

type Commit = NonNullable<Deploy['commit']>;
type SourceAddress = Pick<Service, 'id' | 'repo' | 'ownerId'>;

/** Access to the sources of services. */
export interface GitSource {
  version(): Promise<string | undefined>;
  /**
   * Validates the source of a service.
   *
   * @throws {AppError} `INPUT_INVALID` naming what is allowed; `FORBIDDEN` if third-party sources
   * are not accepted.
   */
  check(service: Service): void;
  /** Creates the repository that receives pushes and returns its URL. */
  pushUrl(serviceId: string): Promise<string>;
  /** Returns the default branch of a repository; `null` if it has none. */
  defaultBranch(service: SourceAddress): Promise<string | null>;
  /** Returns the newest commit of the branch; `null` if there is none. Throws git's error. */
  head(service: Service): Promise<string | null>;
  /** Checks out a commit, or the branch's newest one, into an empty folder. */
  checkout(
    service: Service,
    o: { readonly commitId: string | null; readonly folder: string; readonly signal: AbortSignal },
  ): Promise<Commit>;
  /** Removes the repository that received pushes. */
  remove(serviceId: string): void;
}

/** Dependencies of the git source. */
export interface GitParts extends GitProgramParts {
  /** Allowed local sources. */
  readonly sources: LocalSources | undefined;
  /** Whether third-party programs may be built and run here. */
  readonly acceptsForeign: boolean;
}

/** Opens access to sources. */
export function openGitSource(parts: GitParts): GitSource {
  const { folder } = parts;
  const { git, assertTreeSize, giveToFetcher } = openGit(parts);
  const repositoryOf = (serviceId: string): string => repositoryPath(folder, serviceId);
  const findPushedRepository = (serviceId: string): LocalRepository => {
    const root = realpathSync(folder);
    return { root, path: repositoryPath(root, serviceId) };
  };
  /** Returns a local repository or a remote address. */
  const resolveSource = ({ id, repo, ownerId }: SourceAddress): LocalRepository | string => {
    if (repo === '') return findPushedRepository(id);
    const roots = listRoots(parts.sources, ownerId);
    if (isLocalAddress(repo)) return findRepository(repo, roots);
    return parseForeignAddress(parts, repo, roots);
  };
  return {
    version: async () => (await git(['--version']).catch(() => undefined))?.trim(),
    check: (service) => {
      const { branch } = service;
      if (!BRANCH.test(branch)) throw invalidParameter('branch', branch, 'the name of a branch');
      if (service.repo !== '') resolveSource(service);
    },
    pushUrl: async (serviceId) => {
      const place = repositoryOf(serviceId);
      if (!existsSync(place)) {
        rmSync(`${place}.new`, { recursive: true, force: true });
        await git(['init', '--quiet', '--bare', '--template=', `${place}.new`]);
        await git(['-C', `${place}.new`, 'config', 'core.hooksPath', '/dev/null']);
        renameSync(`${place}.new`, place);
      }
      return pathToFileURL(place).href;
    },
    defaultBranch: async (service) => findDefaultBranch(git, resolveSource(service)),
    head: async (service) => {
      const source = resolveSource(service);
      if (typeof source !== 'string') return readBranch(source, service.branch);
      const ref = `refs/heads/${service.branch}`;
      const told = await git(['ls-remote', '--', source, ref], { isForeign: true });
      return /^([0-9a-f]{40,64})\t/.exec(told)?.[1] ?? null;
    },
    checkout: async (service, { commitId, folder: cwd, signal }) => {
      const source = resolveSource(service);
      const isForeign = typeof source === 'string';
      const copy = join(dirname(cwd), COPY_FOLDER);
      if (isForeign) giveToFetcher(cwd);
      const place = { cwd, signal, isForeign };
      await git(['init', '--quiet', '--template=', '.'], place);
      try {
        const from = isForeign
          ? { address: source, wanted: commitId ?? `refs/heads/${service.branch}` }
          : await copyLocal(source, { service, commitId, copy, signal });
        const order = ['fetch', '--quiet', '--depth=1', '--no-tags', '--'];
        await git([...order, from.address, from.wanted], { ...place, timeout: FETCH_MS });
      } finally {
        rmSync(copy, { recursive: true, force: true });
      }
      await assertTreeSize(place);
      await git(['checkout', '--quiet', '--detach', 'FETCH_HEAD'], place);
      const told = await git(['log', '-1', '--format=%H%n%cI%n%s', 'FETCH_HEAD'], place);
      const [id = '', at = '', ...subject] = told.trim().split('\n');
      rmSync(join(cwd, '.git'), { recursive: true, force: true });
      const createdAt = new Date(at).toISOString();
      return { id, message: subject.join(' ').slice(0, 500), createdAt };
    },
    remove: (serviceId) => rmSync(repositoryOf(serviceId), { recursive: true, force: true }),
  };
}

async function findDefaultBranch(
  git: GitRunner['git'],
  source: LocalRepository | string,
): Promise<string | null> {
  const name = await (typeof source === 'string'
    ? readRemoteHead(git, source)
    : readDefaultBranch(source));
  return name !== null && BRANCH.test(name) ? name : null;
}

async function readRemoteHead(git: GitRunner['git'], address: string): Promise<string | null> {
  const args = ['ls-remote', '--symref', '--', address, 'HEAD'];
  const printed = await git(args, { isForeign: true, timeout: DEFAULT_BRANCH_MS });
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(printed)?.[1] ?? null;
}

/** Copies a local repository, for git to read instead of the original. */
async function copyLocal(
  source: LocalRepository,
  o: {
    readonly service: Service;
    readonly commitId: string | null;
    readonly copy: string;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly address: string; readonly wanted: string }> {
  const { service, copy, signal } = o;
  const wanted = o.commitId ?? (await readBranch(source, service.branch));
  if (wanted === null)
    throw invalidParameter('branch', service.branch, 'a branch of the repository');
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  await copyRepository(source, copy, { commitId: wanted, signal: inTime });
  return { address: pathToFileURL(copy).href, wanted };
}

/** Returns git's last error line for the owner of a service, without local addresses. */
export function gitErrorMessage(thrown: unknown): string {
  if (thrown instanceof AppError) return thrown.message;
  const { stderr, message } = thrown as { readonly stderr?: unknown; readonly message?: string };
  const text = typeof stderr === 'string' && stderr !== '' ? stderr : (message ?? 'git failed');
  const line = text.trim().split('\n').at(-1) ?? '';
  if (/Authentication failed for|could not read (Username|Password)/.test(line)) {
    return 'the server asks for a password: the repository is private or does not exist';
  }
  return line.replace(/file:\/\/\S+|(?<![\w:/.-])\/\S+/g, 'the repository').slice(0, 300);
}

/** Returns a validated remote address. */
function parseForeignAddress(
  { acceptsForeign }: GitParts,
  repo: string,
  roots: readonly string[],
): string {
  const url = URL.canParse(repo) ? new URL(repo) : undefined;
  const isHttps = url?.protocol === 'https:' && url.username === '' && url.password === '';
  if (!isHttps || repo.startsWith('-')) throw forbiddenAddressError(repo, roots);
  if (!acceptsForeign) {
    throw new AppError('FORBIDDEN', {
      message:
        'repo: this machine cannot isolate third-party programs from its network, so ' +
        'remote repositories are rejected. Push the source instead (omit repo), or ask ' +
        'the operator to install nftables or to start the server with --trust-repositories.',
      data: { path: 'repo', received: repo, allowed: describeAllowedAddresses(roots) },
    });
  }
  return url.href;
}

function invalidParameter(path: string, received: string, allowed: string): AppError {
  const quoted = JSON.stringify(received.slice(0, 200));
  const message = `${path}: received ${quoted}, allowed: ${allowed}`;
  return new AppError('INPUT_INVALID', { message, data: { path, received, allowed: allowed } });
}
