import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../../domain/common/error.ts';
import type { Workspace } from '../../../../domain/hosting/records.ts';

/** The folder of this machine that repositories may be taken from, and who may take what. */
export interface LocalSources {
  /** The operator's folder. */
  readonly folder: string;
  /** Names in that folder that every workspace may take from. */
  readonly shared: readonly string[];
  /** All workspaces. Where there is one alone, the whole folder is its own. */
  readonly workspaces: readonly Pick<Workspace, 'id' | 'name'>[];
}

/** A folder on this machine, inside a folder from which it may be read. Neither has links. */
export interface LocalRepository {
  readonly root: string;
  readonly path: string;
}

/** Folders that a workspace may take repositories from. */
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

/** Whether an address is one of this machine. */
export function isLocal(repo: string): boolean {
  return repo.startsWith('/') || repo.startsWith('file:///');
}

/**
 * Finds a repository by its address. All links of the address are followed first, so that it counts
 * where the repository is and not what it is called.
 *
 * @throws {AppError} `INPUT_INVALID` naming the folders that the workspace may take from. It is the
 *   same for a repository that is not there and for one of another workspace.
 */
export function findRepository(repo: string, roots: readonly string[]): LocalRepository {
  const path = realPath(() => realpathSync(repo.startsWith('/') ? repo : fileURLToPath(repo)));
  for (const each of path === undefined ? [] : roots) {
    const root = realPath(() => realpathSync(each));
    if (root === undefined || path === undefined) continue;
    if (path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return { root, path };
    }
  }
  throw unallowed(repo, roots);
}

/** The refusal of an address, with what is allowed. */
export function unallowed(repo: string, roots: readonly string[]): AppError {
  const allowed = allowedAddresses(roots);
  return new AppError('INPUT_INVALID', {
    message: `repo is ${JSON.stringify(repo.slice(0, 200))}; it must be ${allowed}.`,
    data: { path: 'repo', received: repo.slice(0, 200), allowed },
  });
}

/** The addresses that a workspace with these roots may name. */
export function allowedAddresses(roots: readonly string[]): string {
  const local = roots.length === 0 ? '' : `, or a repository below ${roots.join(' or ')}`;
  return `an https address without a name and password${local}; left out, the source is pushed`;
}

function realPath(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
