import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../domain/common/error.ts';
import type { Deploy } from '../../../domain/hosting/records.ts';
import { claimUsers, type UserRange } from '../../sandbox/users.ts';
import { writeAtomically } from '../../sandbox/write-atomically.ts';

/** Paths of all hosting data, inside one folder. */
export interface Layout {
  readonly root: string;
  readonly runs: string;
  readonly git: string;
  readonly routes: string;
  release(serviceId: string, releaseId: string): string;
  releases(serviceId: string): string;
  cache(serviceId: string): string;
  service(serviceId: string): string;
  /** Returns the bare repository that receives pushes of a service. */
  repository(serviceId: string): string;
  /** Users of all programs hosted from here. */
  readonly users: UserRange;
  /**
   * Returns the permanent user of a service's programs.
   *
   * @throws {AppError} `HOST_CAPACITY` if all users are assigned.
   */
  assignUid(serviceId: string): number;
  /** Returns every id with an assigned user. */
  listTenants(): readonly { readonly id: string; readonly uid: number }[];
}

/** Creates the fixed folders and returns the layout. */
export function openLayout(root: string): Layout {
  const services = join(root, 'services');
  const [runs, git, routes] = [join(root, 'runs'), join(root, 'git'), join(root, 'routes')];
  for (const folder of [services, runs, git, routes]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const service = (serviceId: string): string => join(services, serviceId);
  const users = claimUsers(realpathSync(root));
  return {
    root,
    runs,
    git,
    routes,
    service,
    users,
    repository: (serviceId) => repositoryPath(git, serviceId),
    releases: (serviceId) => join(service(serviceId), 'releases'),
    release: (serviceId, releaseId) => join(service(serviceId), 'releases', releaseId),
    cache: (serviceId) => join(service(serviceId), 'cache'),
    assignUid: (serviceId) => assignUid(services, serviceId, users),
    listTenants: () => listTenants(services),
  };
}

/** Returns the path of a repository that receives pushes. */
export function repositoryPath(git: string, serviceId: string): string {
  return join(git, `${serviceId}.git`);
}

/** Files of a release. */
export interface ReleasePaths {
  /** Folder that the build writes and the program runs in. */
  readonly tree: string;
  readonly commit: string;
}

/** Returns the paths of a release. */
export function getReleasePaths(folder: string): ReleasePaths {
  return { tree: join(folder, 'tree'), commit: join(folder, 'commit.json') };
}

/** Returns the commit of a release; `undefined` if it was not fetched completely. */
export function readCommit(folder: string): NonNullable<Deploy['commit']> | undefined {
  try {
    return JSON.parse(readFileSync(getReleasePaths(folder).commit, 'utf8')) as NonNullable<
      Deploy['commit']
    >;
  } catch {
    return undefined;
  }
}

/** Returns the folders in a folder, newest first. */
export function listNewestFirst(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
      .sort((one, other) => other.at - one.at)
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function assignUid(services: string, serviceId: string, { first, last }: UserRange): number {
  const own = join(services, serviceId, 'uid');
  const known = readNumber(own);
  if (known !== undefined) return known;
  const assigned = new Set(listTenants(services).map(({ uid }) => uid));
  const inBlock = [...assigned].filter((uid) => uid > first && uid <= last);
  // After the last user, reuse the first free one.
  const next = Math.max(first, ...inBlock) + 1;
  const uid = next <= last ? next : findFreeUid(assigned, first, last);
  mkdirSync(join(services, serviceId), { recursive: true, mode: 0o700 });
  writeAtomically(own, String(uid));
  return uid;
}

function listTenants(services: string): readonly { readonly id: string; readonly uid: number }[] {
  return readdirSync(services).flatMap((id) => {
    const uid = readNumber(join(services, id, 'uid'));
    return uid === undefined ? [] : [{ id, uid }];
  });
}

function findFreeUid(taken: ReadonlySet<number>, first: number, last: number): number {
  for (let uid = first + 1; uid <= last; uid += 1) if (!taken.has(uid)) return uid;
  const message = `All ${last - first} users of hosted programs are assigned.`;
  throw new AppError('HOST_CAPACITY', { message });
}

function readNumber(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
