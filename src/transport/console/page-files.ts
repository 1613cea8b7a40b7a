import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { lookup } from 'mrmime';

/** Most files of a page. */
export const PAGE_FILES_MAX = 2_000;
/** Largest file of a page, in bytes. */
export const PAGE_FILE_BYTES_MAX = 16_777_216;

/** A content coding of a page file. */
export type PageEncoding = 'br' | 'gzip' | 'identity';

/** The content of a file. */
export interface PageBytes {
  readonly bytes: Buffer;
  /** Changes whenever the bytes change. */
  readonly etag: string;
}

/** A file that the console serves. */
export interface PageFile {
  readonly type: string;
  /** Whether its name contains a hash of its content. */
  readonly isHashed: boolean;
  readonly encodings: readonly PageEncoding[];
  /** Reads the file once and caches it. @returns `undefined` if it was deleted since startup. */
  read(encoding: PageEncoding): PageBytes | undefined;
}

const PAGE_EXTENSION = /\.(?:css|html|ico|js|json|map|mmd|png|svg|txt|webmanifest|woff2)$/i;
/** Types that the package lacks. */
const OWN_TYPES: ReadonlyMap<string, string> = new Map([
  ['.ico', 'image/x-icon'],
  ['.mmd', 'text/plain'],
]);

/** Returns whether a name has the extension of a page file. */
export function isPageFileName(name: string): boolean {
  return PAGE_EXTENSION.test(name);
}

/** The folder where the bundler puts files with a content hash in their names. */
const HASHED_NAME = /^assets\/.{1,200}-[\w-]{8,40}\.\w{1,10}$/;
const ENCODING_EXTENSIONS: Readonly<Record<string, PageEncoding>> = { '.br': 'br', '.gz': 'gzip' };

/**
 * Lists the files of a built page once. Unlisted files are never served, whatever a request asks
 * for. Symbolic links are excluded.
 *
 * @returns Files by path relative to the folder, with slashes. Empty when there is no folder.
 */
export function listPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const names = listNames(folder);
  const known = new Set(names);
  const plain = names
    .filter((name) => ENCODING_EXTENSIONS[extname(name)] === undefined)
    .slice(0, PAGE_FILES_MAX);
  return new Map(
    plain.map((name) => {
      const packed = Object.entries(ENCODING_EXTENSIONS).filter(([end]) =>
        known.has(`${name}${end}`),
      );
      return [
        name,
        createPageFile(join(folder, name), name, new Map(packed.map(([a, b]) => [b, a]))),
      ];
    }),
  );
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort();
  } catch {
    return [];
  }
}

function createPageFile(
  path: string,
  name: string,
  packed: ReadonlyMap<PageEncoding, string>,
): PageFile {
  const cached = new Map<PageEncoding, PageBytes>();
  return {
    type: getContentType(name),
    isHashed: HASHED_NAME.test(name),
    encodings: ['br', 'gzip', 'identity'].filter(
      (one): one is PageEncoding => one === 'identity' || packed.has(one as PageEncoding),
    ),
    read: (encoding) => {
      const known = cached.get(encoding);
      if (known !== undefined) return known;
      const bytes = readRegularFile(`${path}${packed.get(encoding) ?? ''}`);
      if (bytes === undefined) return undefined;
      const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, ETAG_CHARS);
      const found = { bytes, etag: `"${hash}"` };
      cached.set(encoding, found);
      return found;
    },
  };
}

const ETAG_CHARS = 22;

function getContentType(name: string): string {
  const known = PAGE_EXTENSION.test(name) ? lookup(name) : undefined;
  const own = OWN_TYPES.get(extname(name).toLowerCase());
  const type = own ?? known ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

// Does not follow a file that became a symbolic link after it was listed.
function readRegularFile(path: string): Buffer | undefined {
  try {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return fstatSync(file).size > PAGE_FILE_BYTES_MAX ? undefined : readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
