import type { Database, Key, RootDatabase } from 'lmdb';
import { open } from 'lmdb';
import type { EngineError } from '../../runtime/engine/error.ts';
import { toStoreError } from './failure-to-store-error.ts';

/** Maximum named databases of one environment. */
const DATABASES_MAX = 32;

/** An open LMDB file. */
export type Lmdb = RootDatabase<string, Key>;

/** Options for opening a file. */
export interface LmdbOptions {
  readonly path: string;
  readonly mapSizeBytes?: number;
  readonly readOnly?: boolean;
  /** Disables syncing, for a copy that is synced as a whole. */
  readonly unsynced?: boolean;
}

/**
 * Opens an LMDB file with settings that guarantee durability. A commit is written, synced, and only
 * then entered in the meta page, one at a time. With LMDB's overlapping sync, the next commit can
 * build on one that is still syncing. If that sync fails, the meta page can point to pages that
 * never reached the disk.
 *
 * @throws {EngineError} `STORE_FULL` if there is no space for an empty file, else `STORE_FAILED`.
 */
export function openLmdb({ path, mapSizeBytes, readOnly = false, unsynced = false }: LmdbOptions) {
  try {
    return open<string, Key>({
      path,
      encoding: 'string',
      maxDbs: DATABASES_MAX,
      noSubdir: false,
      readOnly,
      overlappingSync: false,
      noSync: unsynced,
      // Every commit is one conditional block and may start before the event loop's turn ends.
      eventTurnBatching: false,
      ...(mapSizeBytes === undefined ? {} : { mapSize: mapSizeBytes }),
    });
  } catch (cause) {
    throw toStoreError(cause, path);
  }
}

/** Name of the table with format and owner. */
export const META_TABLE = 'meta';

/** Opens the database with format and owner; does not create it in read-only mode. */
export function openMetaDatabase(root: Lmdb): Database<string, Key> | undefined {
  return root.openDB<string, Key>(META_TABLE, { encoding: 'string', useVersions: true });
}

/** The checksums of the rows of a file. */
export interface RowSeals {
  /** Path of the file, for errors. */
  readonly file: string;
  /** Whether every row has a checksum, which only those of older programs lack. */
  isComplete: boolean;
  /** Called for each damaged row that a read skips. */
  readonly onDamage: (damage: EngineError) => void;
}

/** Options of a text table. */
export interface TextTableOptions {
  /** Compresses long texts with LZ4; short ones stay as they are. */
  readonly isCompressed?: boolean;
  /** Gives each row a checksum, and checks it when the row is read. */
  readonly seals?: RowSeals;
  /** Whether the rows are keys without a text. */
  readonly isKeyOnly?: boolean;
}

/** Opens a database of texts; does not create it in read-only mode. */
export function openTextDatabase(
  root: Lmdb,
  name: string,
  { isCompressed = false }: TextTableOptions = {},
): Database<string, Key> | undefined {
  return root.openDB<string, Key>(name, { encoding: 'string', compression: isCompressed });
}
