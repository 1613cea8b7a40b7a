import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  lstatSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { DATA_FILE } from '../../store/common/folder.ts';
import { checkFile } from '../../store/engine/check-file.ts';
import { DATA_FILES, type DataFile } from '../server/data-files.ts';
import { type Contents, readContents, writeContents } from '../server/directory.ts';

/** Stores that every start opens. */
const CORE_STORES = ['actors', 'blobs', 'mcp', 'proofs', 'trust'].map(storePath);
/** Stores of hosted services. */
const HOSTING_STORES = ['history', 'logs', 'metrics'].map(storePath);
/** Stores and files without money or commitments, which a server can continue without. */
const OPTIONAL_PARTS: readonly string[] = [storePath('mcp'), ...HOSTING_STORES, 'chain/gas.jsonl'];
const FOLDERS = ['', 'store', 'chain', 'hosting'];
const RECORD: DataFile = { path: 'directory.json', read: readContents };
/** Largest store whose bytes are compared with its last orderly shutdown. */
const CHECKSUM_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Permission bits of other users. Group access is allowed, because mounted volumes may share it.
 */
const OTHER_USERS_BITS = 0o007;
const CHECKSUM_CHARS = 16;
const RESTORE_HINT =
  'Restore it from a copy of the whole data directory, or start with an empty one. Nothing was ' +
  'changed.';

/**
 * Finds what is missing, damaged or inaccessible in a data directory that no server uses. Only
 * reads.
 */
export function findDamage(dataDir: string): readonly AppError[] {
  const folders = FOLDERS.flatMap((path) => checkPath(dataDir, path, 'folder') ?? []);
  if (folders.length > 0) return folders;
  const ofRecord = checkDataFile(dataDir, RECORD, undefined);
  // Without the record, the expected contents are unknown.
  if (ofRecord !== undefined) return [ofRecord];
  const contents = readContents(dataDir);
  const files = DATA_FILES.flatMap((file) => checkDataFile(dataDir, file, contents) ?? []);
  const stores = [...CORE_STORES, ...HOSTING_STORES].flatMap(
    (path) => checkStore(dataDir, path, contents?.[path]) ?? [],
  );
  return [...findMissing(dataDir, contents), ...files, ...stores];
}

/**
 * Rejects a data directory with missing or damaged parts, before anything in it is used.
 *
 * @throws {AppError} `DATA_DAMAGED`, `DATA_DIR_UNUSABLE`
 */
export function rejectDamage(dataDir: string): void {
  const [first, ...others] = findDamage(dataDir);
  if (first === undefined) return;
  if (others.length === 0) throw first;
  const also = others.map(({ data }) => data['file']);
  throw new AppError(first.code, { message: first.message, data: { ...first.data, also } });
}

/**
 * Removes the empty files of stores that were created and never used, as `findDamage` accepts them.
 * Opening an empty file is an error, because it may have contained rows.
 */
export function removeUnusedStores(dataDir: string): void {
  const contents = readContents(dataDir);
  for (const path of [...CORE_STORES, ...HOSTING_STORES]) {
    const place = join(dataDir, path, DATA_FILE);
    const isEmpty = statSync(place, { throwIfNoEntry: false })?.size === 0;
    if (isEmpty && contents?.[path] === undefined) rmSync(place);
  }
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
    .filter((path) => isPresent(join(dataDir, path, DATA_FILE)))
    .map((path) => [path, areClosed ? storeChecksum(dataDir, path) : '']);
  const files = DATA_FILES.filter((file) => file.is !== undefined)
    .filter(({ path }) => isPresent(join(dataDir, path)))
    .map(({ path, is }) => [path, is === 'fixed' ? fileChecksum(join(dataDir, path)) : '']);
  const known = { ...(Object.fromEntries([...stores, ...files]) as Contents), ...before };
  const marks = areClosed ? (Object.fromEntries(stores) as Contents) : {};
  writeContents(dataDir, { ...known, ...marks });
}

function storePath(name: string): string {
  return `store/${name}`;
}

/**
 * Finds missing files. An older record lists none: its core stores exist together or not at all.
 */
function findMissing(dataDir: string, contents: Contents | undefined): readonly AppError[] {
  const inUse = CORE_STORES.some((path) => isPresent(join(dataDir, path, DATA_FILE)));
  const expected = Object.keys(contents ?? {});
  const names = contents === undefined && inUse ? CORE_STORES : expected;
  return names.flatMap((path) => {
    const file = path.startsWith('store/') ? `${path}/${DATA_FILE}` : path;
    if (isPresent(join(dataDir, file))) return [];
    const cure = OPTIONAL_PARTS.includes(path)
      ? ` To continue without it, delete ${JSON.stringify(path)} from "contents" in directory.json.`
      : '';
    return damagedError(file, `${file} is missing; this data directory contained it before.`, cure);
  });
}

function checkDataFile(
  dataDir: string,
  file: DataFile,
  contents: Contents | undefined,
): AppError | undefined {
  const { path, read, isSecret = false, is } = file;
  const fault = checkPath(dataDir, path, 'file');
  if (fault !== undefined || !isPresent(join(dataDir, path))) return fault;
  const { mode } = statSync(join(dataDir, path));
  if (isSecret && process.platform !== 'win32' && (mode & OTHER_USERS_BITS) !== 0) {
    return unusableError(
      path,
      `has mode ${(mode & 0o777).toString(8)}: others can use it`,
      SECRET_EXPOSED,
    );
  }
  try {
    read(dataDir);
  } catch (thrown) {
    return damagedError(path, `${path} is damaged: ${toAppError(thrown).message}`, '', thrown);
  }
  const kept = is === 'fixed' ? contents?.[path] : undefined;
  if (!kept || kept === fileChecksum(join(dataDir, path))) return undefined;
  return damagedError(path, `${path} is not the original file.`);
}

const SECRET_EXPOSED =
  'Run chmod 600 on it. If others may have read it, replace it: a new token is created when the ' +
  'file "token" is deleted.';

/** @param kept - The recorded checksum. */
function checkStore(dataDir: string, path: string, kept: string | undefined): AppError | undefined {
  const file = `${path}/${DATA_FILE}`;
  const fault = checkPath(dataDir, path, 'folder') ?? checkPath(dataDir, file, 'file');
  const place = join(dataDir, file);
  if (fault !== undefined || !isPresent(place)) return fault;
  // The store was just created and never used.
  if (statSync(place).size === 0 && kept === undefined) return undefined;
  const { fault: what, commit } = checkFile(place);
  if (what !== undefined) return damagedError(file, `${file} is damaged: ${what}`);
  const isSameCommit = kept?.startsWith(`${commit} `) === true;
  if (!isSameCommit || kept === storeChecksum(dataDir, path)) return undefined;
  return damagedError(file, `${file} is damaged: its bytes differ from its last orderly shutdown.`);
}

/** Returns the last commit number and the checksum of a store. Empty for a large store. */
function storeChecksum(dataDir: string, path: string): string {
  const file = join(dataDir, path, DATA_FILE);
  if (statSync(file).size > CHECKSUM_BYTES_MAX) return '';
  const { commit = '' } = checkFile(file, { isMetaOnly: true });
  return `${commit} ${fileChecksum(file)}`;
}

function fileChecksum(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, CHECKSUM_CHARS);
}

/** Returns an error if the path has the wrong kind or permissions. A missing path is no error. */
function checkPath(dataDir: string, path: string, kind: 'file' | 'folder'): AppError | undefined {
  const place = join(dataDir, path);
  const name = path === '' ? dataDir : path;
  try {
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) return undefined;
    const found = statSync(place, { throwIfNoEntry: false });
    if (found === undefined) return unusableError(name, 'is a broken symbolic link', FIX_LINK);
    if (found.isDirectory() !== (kind === 'folder') || isDevice(found)) {
      return unusableError(name, `is not a ${kind}`, `It must be a ${kind}.`);
    }
    const { R_OK, W_OK, X_OK } = constants;
    accessSync(place, kind === 'folder' ? R_OK | W_OK | X_OK : R_OK | W_OK);
    return undefined;
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    return unusableError(name, `cannot be read and written by this process (${code})`, GIVE_ACCESS);
  }
}

const FIX_LINK = 'Restore its target, or mount its disk.';
const GIVE_ACCESS = 'Allow the server to read and write it, or mount its disk for writing.';

function isDevice(found: Stats): boolean {
  return !found.isDirectory() && !found.isFile();
}

function isPresent(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

function damagedError(file: string, what: string, cure = '', cause?: unknown): AppError {
  const message = `${what} ${RESTORE_HINT}${cure}`;
  return new AppError('DATA_DAMAGED', { message, data: { file }, cause });
}

function unusableError(file: string, what: string, cure: string): AppError {
  const message = `${file} ${what}. ${cure}`;
  return new AppError('DATA_DIR_UNUSABLE', { message, data: { file } });
}
