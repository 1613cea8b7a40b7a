import type { Database, Key, RootDatabase } from 'lmdb';
import { open } from 'lmdb';
import { namedFailure } from './store-failure.ts';

/** Named databases of one environment. */
const DATABASES_MAX = 32;

/** An open LMDB file. */
export type Lmdb = RootDatabase<string, Key>;

/** How a file is opened. */
export interface LmdbOptions {
  readonly path: string;
  readonly mapSizeBytes?: number;
  readonly readOnly?: boolean;
  /** Nothing reaches the disk on its own: for a copy that is synced as a whole. */
  readonly unsynced?: boolean;
}

/**
 * Opens an LMDB file with the settings that keep what was promised. A commit is written, synced,
 * and only then entered in the file's head, one after the other. LMDB's other way lets the next
 * commit build on one whose sync is still going on, and when that sync fails, the next one can
 * enter a tree whose pages the disk never took.
 *
 * @throws {EngineError} `STORE_FULL` when there is no room for an empty file, else `STORE_FAILED`.
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
      // Every commit is one conditional block, and may begin before the event loop's turn ends.
      eventTurnBatching: false,
      ...(mapSizeBytes === undefined ? {} : { mapSize: mapSizeBytes }),
    });
  } catch (cause) {
    throw namedFailure(cause, path);
  }
}

/** Opens the database that holds format and owner. A reader does not make it. */
export function openMeta(root: Lmdb): Database<string, Key> | undefined {
  return root.openDB<string, Key>('meta', { encoding: 'string', useVersions: true });
}

/** How the texts of a database are written. */
export interface TextsOptions {
  /** Long texts by LZ4; short ones stay as they are. */
  readonly isCompressed?: boolean;
}

/** Opens a database of texts; a reader does not make it. */
export function openTexts(
  root: Lmdb,
  name: string,
  { isCompressed = false }: TextsOptions = {},
): Database<string, Key> | undefined {
  return root.openDB<string, Key>(name, { encoding: 'string', compression: isCompressed });
}
