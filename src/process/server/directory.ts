import { randomUUID } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { retireLogKey } from '../proof/proof-keys.ts';
import { isListening, localAddress } from './data-lock.ts';

/** The operator's statement about a copied directory. */
export interface Acceptance {
  readonly accepted?: 'moved' | 'restored';
  /** Called with each message for the operator. */
  readonly notice: (line: string) => void;
}

/** The inputs of the check. Only the owner of the directory may call it. */
export interface DirectoryDeps extends Acceptance {
  readonly dataDir: string;
  /** Whether it uses an embedded chain, so that a copy has its own chain as well. */
  readonly hasOwnChain: boolean;
}

/** The location of a directory. A copy has the same record at another location. */
const Identity = z.object({
  id: z.string(),
  path: z.string(),
  device: z.string(),
  inode: z.string(),
  /** The identity of this file, which every start recreates. A restored file has another one. */
  file: z.string(),
  /** What the directory has contained since its first start. Absent in older records. */
  contents: z.record(z.string(), z.string()).optional(),
});
type Identity = z.infer<typeof Identity>;

const FILE = 'directory.json';

/**
 * Stores and files of a data directory, by relative path. The value is a checksum for files that
 * are never rewritten, and empty for others.
 */
export type Contents = Readonly<Record<string, string>>;

/**
 * Returns the recorded contents of a data directory, or `undefined` without a record.
 *
 * @throws {AppError} `CONFIG_INVALID` for a damaged record.
 */
export function readContents(dataDir: string): Contents | undefined {
  return readIdentity(dataDir)?.contents;
}

/** Records the contents of a data directory, so that a later start detects losses. */
export function writeContents(dataDir: string, contents: Contents): void {
  const known = readIdentity(dataDir);
  if (known === undefined || hasSameContents(known.contents ?? {}, contents)) return;
  writeIdentity(dataDir, { id: known.id, contents });
}

function hasSameContents(one: Contents, other: Contents): boolean {
  const names = Object.keys(one);
  const isAll = names.length === Object.keys(other).length;
  return isAll && names.every((name) => one[name] === other[name]);
}

/**
 * Detects whether a data directory is a copy, before anything else in it is used. A copy on an
 * embedded chain continues as a separate server: it drops the original's ports, and its proof log
 * gets a new name. Processes of the original do not matter, because their records are bound to
 * their folder.
 *
 * @throws {AppError} `DATA_DIR_COPIED` for an unaccepted copy on an external chain, and for a copy
 * declared moved while the original runs; `CONFIG_INVALID` for a damaged record.
 */
export async function openDirectory(parts: DirectoryDeps): Promise<void> {
  const { dataDir, hasOwnChain, accepted, notice } = parts;
  const known = readIdentity(dataDir);
  if (known === undefined || !isCopy(known, dataDir)) {
    writeIdentity(dataDir, { id: known?.id ?? randomUUID(), contents: known?.contents ?? {} });
    return;
  }
  const hasRunningOriginal = await isOriginalRunning(known.path, dataDir);
  const of = hasRunningOriginal ? `${known.path}, which is running` : known.path;
  if (accepted === 'moved' && !hasRunningOriginal) {
    writeIdentity(dataDir, known);
    return;
  }
  if (accepted === 'moved' || (accepted === undefined && !hasOwnChain))
    throw copiedDirectoryError(of);
  resetCopy(dataDir);
  writeIdentity(dataDir, { id: randomUUID(), contents: known.contents });
  notice(`this data directory is a copy of ${of}. ${hasOwnChain ? OWN_CHAIN : SAME_CHAIN}`);
}

const OWN_CHAIN =
  'It runs on a copy of the chain, on its own port, and never touches the original. ' +
  'Its proof log continues under a new name and key; the old key is kept in ' +
  'proof-log-*.retired.json.';
const SAME_CHAIN =
  'It was accepted as restored: payments on the chain that it does not know are never sold ' +
  'again, and its proof log continues under a new name and key.';
const REMEDY =
  'Two directories on one treasury would answer for each other’s payments. If the original is ' +
  'gone and has not changed since the copy, start with --accept-moved. If it is gone and this is ' +
  'an older copy, start with --accept-restored: payments that this copy does not know are not ' +
  'sold again, and the proof log gets a new name. Never run both.';

function copiedDirectoryError(of: string): AppError {
  return new AppError('DATA_DIR_COPIED', {
    message: `This data directory is a copy of ${of}. ${REMEDY}`,
    data: { received: of, allowed: ['--accept-moved', '--accept-restored'] },
  });
}

/** Drops the state that only one of two copies may use. */
function resetCopy(dataDir: string): void {
  for (const file of ['ready.json', 'chain/anvil.json', 'hosting/router/port']) {
    rmSync(join(dataDir, file), { force: true });
  }
  resetPort(join(dataDir, 'chain', 'local.json'));
  retireLogKey(dataDir);
}

/** Sets the port to 0, which selects a free one. The reader of a damaged file reports it. */
function resetPort(file: string): void {
  if (!existsSync(file)) return;
  const record = tryParseJson(readFileSync(file, 'utf8'));
  if (typeof record !== 'object' || record === null) return;
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...record, port: 0 })}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** A renamed directory keeps its inodes, and a remounted one keeps its path. */
function isCopy(known: Identity, dataDir: string): boolean {
  const { path, device, inode } = locateDirectory(dataDir);
  const file = formatFileIdentity(statSync(join(dataDir, FILE), { bigint: true }));
  if (inode !== known.inode || file !== known.file) return true;
  return device !== known.device && path !== known.path;
}

function isOriginalRunning(path: string, dataDir: string): Promise<boolean> {
  if (!existsSync(path) || realpathSync(path) === realpathSync(dataDir)) {
    return Promise.resolve(false);
  }
  return isListening(localAddress(path));
}

function locateDirectory(dataDir: string) {
  const { dev, ino } = statSync(dataDir, { bigint: true });
  return { path: realpathSync(dataDir), device: String(dev), inode: String(ino) };
}

function readIdentity(dataDir: string): Identity | undefined {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return undefined;
  const read = Identity.safeParse(tryParseJson(readFileSync(file, 'utf8')));
  if (read.success) return read.data;
  throw new AppError('CONFIG_INVALID', {
    message: `${FILE} is damaged. Restore it, or delete it if you know that this is not a copy.`,
  });
}

function writeIdentity(dataDir: string, { id, contents }: Pick<Identity, 'id' | 'contents'>): void {
  const path = join(dataDir, FILE);
  // An existing file would keep its creation time.
  rmSync(`${path}.new`, { force: true });
  const handle = openSync(`${path}.new`, 'wx', 0o600);
  try {
    const file = formatFileIdentity(fstatSync(handle, { bigint: true }));
    const identity: Identity = { id, ...locateDirectory(dataDir), file, contents };
    writeSync(handle, `${JSON.stringify(identity)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(`${path}.new`, path);
}

/**
 * Identifies a file. Inodes are reused soon, so it adds the creation time (0 where unsupported).
 */
function formatFileIdentity({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino}:${birthtimeNs}`;
}
