import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deploy } from '../../../domain/hosting/records.ts';

/** The first user of a tenant; each service has one of its own. */
const UID_FIRST = 200_000;
const UID_LAST = 260_000;

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
  /** The user that programs of a service run as, the same for its whole life. */
  uidOf(serviceId: string): number;
}

/** Makes the folders that there always are. */
export function openLayout(root: string): Layout {
  const services = join(root, 'services');
  const [runs, git, routes] = [join(root, 'runs'), join(root, 'git'), join(root, 'routes')];
  for (const folder of [services, runs, git, routes]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const service = (serviceId: string): string => join(services, serviceId);
  return {
    ...{ root, runs, git, routes, service },
    releases: (serviceId) => join(service(serviceId), 'releases'),
    release: (serviceId, releaseId) => join(service(serviceId), 'releases', releaseId),
    cache: (serviceId) => join(service(serviceId), 'cache'),
    uidOf: (serviceId) => uidOf(services, serviceId),
  };
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

/** Writes a file whole or not at all. */
export function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
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

function uidOf(services: string, serviceId: string): number {
  const own = join(services, serviceId, 'uid');
  const known = numberIn(own);
  if (known !== undefined) return known;
  const taken = readdirSync(services).map((name) => numberIn(join(services, name, 'uid')) ?? 0);
  const next = Math.max(UID_FIRST - 1, ...taken) + 1;
  // Behind the last one the first that nobody has any more.
  const uid = next <= UID_LAST ? next : firstFree(new Set(taken));
  mkdirSync(join(services, serviceId), { recursive: true, mode: 0o700 });
  writeWhole(own, String(uid));
  return uid;
}

function firstFree(taken: ReadonlySet<number>): number {
  let uid = UID_FIRST;
  while (taken.has(uid)) uid += 1;
  return uid;
}

function numberIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
