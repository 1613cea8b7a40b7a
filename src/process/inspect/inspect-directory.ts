import { createHash } from 'node:crypto';
import { accessSync, constants, lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { DATA_FILE } from '../../store/common/folder.ts';
import { checkFile } from '../../store/engine/check-file.ts';
import { DATA_FILES, type DataFile } from '../server/data-files.ts';
import { type Contents, keepContents, readContents } from '../server/directory.ts';

/** Stores that every start opens. */
const CORE_STORES = ['actors', 'blobs', 'mcp', 'proofs', 'trust'].map(nameStore);
/** Stores of hosted services. */
const HOSTING_STORES = ['history', 'logs', 'metrics'].map(nameStore);
/** Stores and files without money or commitments, which a server can continue without. */
const FORGETTABLE: readonly string[] = [nameStore('mcp'), ...HOSTING_STORES, 'chain/gas.jsonl'];
const FOLDERS = ['', 'store', 'chain', 'hosting'];
const RECORD: DataFile = { path: 'directory.json', read: readContents };
/** Largest store whose bytes are compared with its last orderly shutdown. */
const COMPARED_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Permission bits of other users. Group access is allowed, because mounted volumes may share it.
 */
const OTHERS = 0o007;
const MARK_CHARS = 16;
const PUT_BACK =
  'Restore it from a copy of the whole data directory, or start with an empty one. Nothing was ' +
  'changed.';

/**
 * Finds what is missing, damaged or inaccessible in a data directory that no server uses. Only
 * reads.
 *
 * @param pagesMax - Pages of each store to check.
 */
export function findDamage(dataDir: string, pagesMax?: number): readonly AppError[] {
  const folders = FOLDERS.flatMap((path) => findFault(dataDir, path, 'folder') ?? []);
  if (folders.length > 0) return folders;
  const ofRecord = findFileFault(dataDir, RECORD, undefined);
  // Without the record, the expected contents are unknown.
  if (ofRecord !== undefined) return [ofRecord];
  const contents = readContents(dataDir);
  const files = DATA_FILES.flatMap((file) => findFileFault(dataDir, file, contents) ?? []);
  const stores = [...CORE_STORES, ...HOSTING_STORES].flatMap(
    (path) => findStoreFault(dataDir, path, { kept: contents?.[path], pagesMax }) ?? [],
  );
  return [...findLost(dataDir, contents), ...files, ...stores];
}

/**
 * Rejects a data directory with missing or damaged parts, before anything in it is used.
 *
 * @throws {AppError} `DATA_DAMAGED`, `DATA_DIR_UNUSABLE`
 */
export function refuseDamage(dataDir: string): void {
  const [first, ...others] = findDamage(dataDir);
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const also = others.map(({ data }) => data['file']);
  throw new AppError(first.code, { message: first.message, data: { ...first.data, also } });
}

/**
 * Records the contents of a data directory, for `findDamage` at a later start. Earlier entries stay
 * in the record, because they may be missing by now.
 *
 * @param areClosed - Whether all stores are closed, so that their bytes no longer change.
 */
export function recordContents(dataDir: string, areClosed = false): void {
  const before = readContents(dataDir) ?? {};
  const stores = [...CORE_STORES, ...HOSTING_STORES]
    .filter((path) => isThere(join(dataDir, path, DATA_FILE)))
    .map((path) => [path, areClosed ? markStore(dataDir, path) : '']);
  const files = DATA_FILES.filter((file) => file.is !== undefined)
    .filter(({ path }) => isThere(join(dataDir, path)))
    .map(({ path, is }) => [path, is === 'fixed' ? markFile(join(dataDir, path)) : '']);
  const known = { ...(Object.fromEntries([...stores, ...files]) as Contents), ...before };
  const marks = areClosed ? (Object.fromEntries(stores) as Contents) : {};
  keepContents(dataDir, { ...known, ...marks });
}

function nameStore(name: string): string {
  return `store/${name}`;
}

/**
 * Finds missing files. An older record lists none: its core stores exist together or not at all.
 */
function findLost(dataDir: string, contents: Contents | undefined): readonly AppError[] {
  const inUse = CORE_STORES.some((path) => isThere(join(dataDir, path, DATA_FILE)));
  const expected = Object.keys(contents ?? {});
  const names = contents === undefined && inUse ? CORE_STORES : expected;
  return names.flatMap((path) => {
    const file = path.startsWith('store/') ? `${path}/${DATA_FILE}` : path;
    if (isThere(join(dataDir, file))) return [];
    const cure = FORGETTABLE.includes(path)
      ? ` To continue without it, delete ${JSON.stringify(path)} from "contents" in directory.json.`
      : '';
    return damaged(file, `${file} is missing; this data directory contained it before.`, cure);
  });
}

function findFileFault(
  dataDir: string,
  file: DataFile,
  contents: Contents | undefined,
): AppError | undefined {
  const { path, read, isSecret = false, is } = file;
  const fault = findFault(dataDir, path, 'file');
  if (fault !== undefined || !isThere(join(dataDir, path))) return fault;
  const { mode } = statSync(join(dataDir, path));
  if (isSecret && process.platform !== 'win32' && (mode & OTHERS) !== 0) {
    return unusable(path, `has mode ${(mode & 0o777).toString(8)}: others can use it`, OPEN_SECRET);
  }
  try {
    read(dataDir);
  } catch (thrown) {
    return damaged(path, `${path} is damaged: ${toAppError(thrown).message}`, '', thrown);
  }
  const kept = is === 'fixed' ? contents?.[path] : undefined;
  if (!kept || kept === markFile(join(dataDir, path))) return undefined;
  return damaged(path, `${path} is not the original file.`);
}

const OPEN_SECRET =
  'Run chmod 600 on it. If others may have read it, replace it: a new token is created when the ' +
  'file "token" is deleted.';

interface StoreCheck {
  /** The recorded checksum. */
  readonly kept: string | undefined;
  readonly pagesMax: number | undefined;
}

function findStoreFault(
  dataDir: string,
  path: string,
  { kept, pagesMax }: StoreCheck,
): AppError | undefined {
  const file = `${path}/${DATA_FILE}`;
  const fault = findFault(dataDir, path, 'folder') ?? findFault(dataDir, file, 'file');
  const place = join(dataDir, file);
  if (fault !== undefined || !isThere(place)) return fault;
  // The store was just created and never used.
  if (statSync(place).size === 0 && kept === undefined) return undefined;
  const { fault: what, commit } = checkFile(place, pagesMax);
  if (what !== undefined) return damaged(file, `${file} is damaged: ${what}.`);
  const isSameCommit = kept?.startsWith(`${commit} `) === true;
  if (!isSameCommit || kept === markStore(dataDir, path)) return undefined;
  return damaged(file, `${file} is damaged: its bytes differ from its last orderly shutdown.`);
}

/** Returns the last commit number and the checksum of a store. Empty for a large store. */
function markStore(dataDir: string, path: string): string {
  const file = join(dataDir, path, DATA_FILE);
  if (statSync(file).size > COMPARED_BYTES_MAX) return '';
  const { commit = '' } = checkFile(file, 0);
  return `${commit} ${markFile(file)}`;
}

function markFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, MARK_CHARS);
}

/** Returns an error if the path has the wrong kind or permissions. A missing path is no error. */
function findFault(dataDir: string, path: string, kind: 'file' | 'folder'): AppError | undefined {
  const place = join(dataDir, path);
  const name = path === '' ? dataDir : path;
  try {
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return undefined;
    const found = statSync(place, { throwIfNoEntry: false });
    if (found === undefined) return unusable(name, 'is a broken symbolic link', MEND_LINK);
    if (found.isDirectory() !== (kind === 'folder') || isDevice(found)) {
      return unusable(name, `is not a ${kind}`, `It must be a ${kind}.`);
    }
    const { R_OK, W_OK, X_OK } = constants;
    accessSync(place, kind === 'folder' ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return undefined;
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    return unusable(name, `cannot be read and written by this process (${code})`, GIVE_ACCESS);
  }
}

const MEND_LINK = 'Restore its target, or mount its disk.';
const GIVE_ACCESS =
  'Allow the server to read and write it, or mount its disk for writing.';

function isDevice(found: Stats): boolean {
  return !found.isDirectory() && !found.isFile();
}

function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

function damaged(file: string, what: string, cure = '', cause?: unknown): AppError {
  const message = `${what} ${PUT_BACK}${cure}`;
  return new AppError('DATA_DAMAGED', { message, data: { file }, cause });
}

function unusable(file: string, what: string, cure: string): AppError {
  const message = `${file} ${what}. ${cure}`;
  return new AppError('DATA_DIR_UNUSABLE', { message, data: { file } });
}
