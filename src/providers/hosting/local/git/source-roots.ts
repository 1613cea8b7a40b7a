import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../../domain/common/error.ts';
import type { Workspace } from '../../../../domain/hosting/records.ts';

/** The local folder of repositories, and who may use what in it. */
export interface LocalSources {
  /** The operator's folder. */
  readonly folder: string;
  /** Names in that folder that every workspace may use. */
  readonly shared: readonly string[];
  /** All workspaces. A single workspace owns the whole folder. */
  readonly workspaces: readonly Pick<Workspace, 'id' | 'name'>[];
}

/** A local folder, and the root folder inside which it may be read. Neither path contains links. */
export interface LocalRepository {
  readonly root: string;
  readonly path: string;
}

/** Returns the folders from which a workspace may use repositories. */
export function listRoots(
  sources: LocalSources | undefined,
  workspaceId: string,
): readonly string[] {
  if (sources === undefined) return [];
  const { folder, shared, workspaces } = sources;
  const name = workspaces.find(({ id }) => id === workspaceId)?.name;
  const isAlone = workspaces.length === 1;
  const own = name === undefined ? [] : [isAlone ? folder : join(folder, name)];
  return [...own, ...shared.map((each) => join(folder, each))];
}

/** Returns whether an address is local. */
export function isLocalAddress(repo: string): boolean {
  return repo.startsWith('/') || repo.startsWith('file:///');
}

/**
 * Finds a repository by its address. Links are resolved first, so that its real location counts.
 *
 * @throws {AppError} `INPUT_INVALID` naming the folders that the workspace may use. The error is
 * the same for a missing repository and for one of another workspace.
 */
export function findRepository(repo: string, roots: readonly string[]): LocalRepository {
  const path = tryRealPath(() => realpathSync(repo.startsWith('/') ? repo : fileURLToPath(repo)));
  for (const each of path === undefined ? [] : roots) {
    const root = tryRealPath(() => realpathSync(each));
    if (root === undefined || path === undefined) continue;
    if (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return { root, path };
    }
  }
  throw forbiddenAddressError(repo, roots);
}

/** Creates the error for a forbidden address. */
export function forbiddenAddressError(repo: string, roots: readonly string[]): AppError {
  const allowed = describeAllowedAddresses(roots);
  return new AppError('INPUT_INVALID', {
    message: `repo is ${JSON.stringify(repo.slice(0, 200))}; it must be ${allowed}.`,
    data: { path: 'repo', received: repo.slice(0, 200), allowed },
  });
}

/** Describes the addresses allowed for a workspace with these roots. */
export function describeAllowedAddresses(roots: readonly string[]): string {
  const local = roots.length === 0 ? '' : `, or a repository in ${roots.join(' or ')}`;
  return `an https address without credentials${local}; omit it to push the source`;
}

function tryRealPath(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
