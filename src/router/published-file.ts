import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** An open file that a site publishes. */
export interface PublishedFile {
  readonly file: FileHandle;
  readonly path: string;
  readonly size: number;
  /** Its quoted entity tag, unique per file version, regardless of size and date. */
  readonly tag: string;
}

/** What a site has at a path. */
export type Published =
  | { readonly kind: 'file'; readonly found: PublishedFile }
  /** A folder requested without the trailing slash. */
  | { readonly kind: 'folder' }
  | { readonly kind: 'none' };

const INDEX = 'index.html';
const PAGE = '.html';

/**
 * Finds what a site publishes at a path: the file itself, the page of that name, or the index of a
 * folder. No spelling or link can reach a hidden file or one outside the root.
 *
 * @param root - Absolute path of the published folder.
 * @param path - As in the request, still escaped, without the query.
 */
export async function findPublished(root: string, path: string): Promise<Published> {
  const segments = parseSegments(path);
  if (segments === undefined) return { kind: 'none' };
  const isFolder = path.endsWith('/');
  const name = segments.join(sep);
  if (isFolder) return toPublished(await openInside(root, join(name, INDEX)));
  const direct = await openInside(root, name);
  if (direct !== 'folder') {
    return direct === undefined
      ? toPublished(await openInside(root, name + PAGE))
      : toPublished(direct);
  }
  const index = await openInside(root, join(name, INDEX));
  if (index === undefined || index === 'folder') return { kind: 'none' };
  await index.file.close();
  return { kind: 'folder' };
}

/** Opens a file of a site by its plain name, such as its not-found page. */
export async function openPublished(
  root: string,
  name: string,
): Promise<PublishedFile | undefined> {
  const found = await openInside(root, name);
  return found === 'folder' ? undefined : found;
}

function toPublished(found: PublishedFile | 'folder' | undefined): Published {
  return found === undefined || found === 'folder' ? { kind: 'none' } : { kind: 'file', found };
}

/** Splits a path into plain names; `undefined` if one is invalid, hidden, or leads upwards. */
function parseSegments(path: string): readonly string[] | undefined {
  const segments: string[] = [];
  for (const part of path.split('/')) {
    const name = unescapePart(part);
    if (name === undefined || /[/\\\0]/.test(name)) return undefined;
    if (name.startsWith('.') && name !== '.well-known') return undefined;
    if (name !== '') segments.push(name);
  }
  return segments;
}

function unescapePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

async function openInside(
  root: string,
  name: string,
): Promise<PublishedFile | 'folder' | undefined> {
  const paths = await Promise.all([realpath(root), realpath(join(root, name))]).catch(() => []);
  const [base, path] = paths;
  if (base === undefined || path === undefined) return undefined;
  if (path === base) return 'folder';
  if (!path.startsWith(base + sep)) return undefined;
  // The resolved path contains no links; a link created in the meantime is not followed.
  const file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch(() => undefined);
  if (file === undefined) return undefined;
  const stat = await file.stat({ bigint: true });
  // Users can set the modification time, but only the kernel sets the change time.
  const tag = `"${[stat.ino, stat.ctimeNs, stat.size].map((one) => one.toString(36)).join('-')}"`;
  if (stat.isFile()) return { file, path, size: Number(stat.size), tag };
  await file.close();
  return stat.isDirectory() ? 'folder' : undefined;
}
