import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../domain/common/error.ts';
import type { Deploy } from '../../../domain/hosting/records.ts';
import { claimUsers, type UserBlock } from '../../sandbox/users.ts';
import { writeWhole } from '../../sandbox/whole.ts';

/** Where everything of hosted services is, below one folder. */
export interface Layout {
  readonly root: string;
  readonly runs: string;
  readonly git: string;
  readonly routes: string;
  release(serviceId: string, releaseId: string): string;
  releases(serviceId: string): string;
  cache(serviceId: string): string;
  service(serviceId: string): string;
  /** The bare repository that the source of a service is pushed to. */
  repository(serviceId: string): string;
  /** Users of all programs that are hosted from here. */
  readonly users: UserBlock;
  /**
   * The user that programs of a service run as, the same for its whole life.
   *
   * @throws {AppError} `HOST_CAPACITY` when all users are given out.
   */
  uidOf(serviceId: string): number;
  /** Everything that was given a user, with that user. */
  tenants(): readonly { readonly id: string; readonly uid: number }[];
}

/** Makes the folders that there always are. */
export function openLayout(root: string): Layout {
  const services = join(root, 'services');
  const [runs, git, routes] = [join(root, 'runs'), join(root, 'git'), join(root, 'routes')];
  for (const folder of [services, runs, git, routes]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const service = (serviceId: string): string => join(services, serviceId);
  const users = claimUsers(realpathSync(root));
  return {
    ...{ root, runs, git, routes, service, users },
    repository: (serviceId) => repositoryIn(git, serviceId),
    releases: (serviceId) => join(service(serviceId), 'releases'),
    release: (serviceId, releaseId) => join(service(serviceId), 'releases', releaseId),
    cache: (serviceId) => join(service(serviceId), 'cache'),
    uidOf: (serviceId) => uidOf(services, serviceId, users),
    tenants: () => tenantsIn(services),
  };
}

/** A repository that is pushed to, in the folder of all of them. */
export function repositoryIn(git: string, serviceId: string): string {
  return join(git, `${serviceId}.git`);
}

/** Files of a release, beside what it was built from. */
export interface ReleasePlace {
  /** What the build writes and the program runs in. */
  readonly tree: string;
  readonly commit: string;
}

/** Where the parts of a release are. */
export function releasePlace(folder: string): ReleasePlace {
  return { tree: join(folder, 'tree'), commit: join(folder, 'commit.json') };
}

/** The commit that a release was fetched at; `undefined` when it was not fetched whole. */
export function readCommit(folder: string): NonNullable<Deploy['commit']> | undefined {
  try {
    return JSON.parse(readFileSync(releasePlace(folder).commit, 'utf8')) as NonNullable<
      Deploy['commit']
    >;
  } catch {
    return undefined;
  }
}

/** Folders in a folder, the newest first. */
export function newestFirst(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
      .sort((one, other) => other.at - one.at)
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function uidOf(services: string, serviceId: string, { first, last }: UserBlock): number {
  const own = join(services, serviceId, 'uid');
  const known = numberIn(own);
  if (known !== undefined) return known;
  const taken = new Set(tenantsIn(services).map(({ uid }) => uid));
  const inBlock = [...taken].filter((uid) => uid > first && uid <= last);
  // Behind the last one the first that nobody has any more.
  const next = Math.max(first, ...inBlock) + 1;
  const uid = next <= last ? next : firstFree(taken, first, last);
  mkdirSync(join(services, serviceId), { recursive: true, mode: 0o700 });
  writeWhole(own, String(uid));
  return uid;
}

function tenantsIn(services: string): readonly { readonly id: string; readonly uid: number }[] {
  return readdirSync(services).flatMap((id) => {
    const uid = numberIn(join(services, id, 'uid'));
    return uid === undefined ? [] : [{ id, uid }];
  });
}

function firstFree(taken: ReadonlySet<number>, first: number, last: number): number {
  for (let uid = first + 1; uid <= last; uid += 1) if (!taken.has(uid)) return uid;
  const message = `All ${last - first} users of hosted programs are given out.`;
  throw new AppError('HOST_CAPACITY', { message });
}

function numberIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
