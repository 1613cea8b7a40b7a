import { statfsSync } from 'node:fs';
import type { Database, Key, RootDatabase } from 'lmdb';
import { open } from 'lmdb';
import { systemClock } from '../runtime/clock.ts';
import { EngineError } from '../runtime/error.ts';

/** Free bytes below which a store takes no new work, unless set. */
export const RESERVE_BYTES = 128 * 1024 * 1024;
/** How long an answer of the file system about free space is believed, in milliseconds. */
const ROOM_KEPT_MS = 1_000;
/** Named databases of one environment. */
const DATABASES_MAX = 16;

/** Where and how an LMDB environment is opened. */
export interface EnvironmentOptions {
  /** A folder; it is made when it is not there. */
  readonly path: string;
  /** Address space for the file. Default: grows as needed. */
  readonly mapSizeBytes?: number;
  /** See `RESERVE_BYTES`. */
  readonly reserveBytes?: number;
  readonly readOnly?: boolean;
}

/** A database of texts under keys that sort by their parts, numbers as numbers. */
export type Texts = Database<string, Key>;

/** One change of a commit; everything in it is computed before the first is made. */
export interface Op {
  readonly db: Texts;
  readonly key: Key;
  /** Removes the row when absent. */
  readonly text?: string;
}

/**
 * An LMDB environment with a format version and an owner. Whoever opens it for writing becomes the
 * owner, and commits of the former owner fail from then on.
 */
export class Environment {
  readonly #root: RootDatabase<string, Key>;
  readonly #meta: Database<string, Key> | undefined;
  readonly #epoch: number;
  readonly #options: EnvironmentOptions;
  readonly #clock = systemClock();
  #room = { hasRoom: true, until: Number.NEGATIVE_INFINITY };

  /**
   * @param format - Format that this program writes. Raised when older programs would misread it.
   * @throws {EngineError} `STORE_NEWER` when a newer program has written here.
   */
  constructor(options: EnvironmentOptions, format: number) {
    const { path, mapSizeBytes, readOnly = false } = options;
    this.#options = options;
    this.#root = open<string, Key>({
      path,
      encoding: 'string',
      maxDbs: DATABASES_MAX,
      noSubdir: false,
      readOnly,
      separateFlushed: true,
      // Every commit is one conditional block, and may begin before the event loop's turn ends.
      eventTurnBatching: false,
      ...(mapSizeBytes === undefined ? {} : { mapSize: mapSizeBytes }),
    });
    // A reader of an empty folder finds no such database, and must not make one.
    this.#meta = this.#root.openDB<string, Key>('meta', { encoding: 'string', useVersions: true });
    this.#epoch = this.#enter(format, readOnly);
  }

  /** Opens a database of texts, by name. */
  texts(name: string): Texts {
    return this.#root.openDB<string, Key>(name, { encoding: 'string' });
  }

  /**
   * Writes all changes or none, and resolves when the disk has them.
   *
   * @throws {EngineError} `STORE_BUSY` when another process has become the owner.
   */
  async commit(ops: readonly Op[]): Promise<void> {
    if (this.#options.readOnly === true || this.#meta === undefined) {
      throw new EngineError('STORE_FAILED', 'the store is opened for reading only');
    }
    const written = this.#meta.ifVersion('epoch', this.#epoch, () => {
      for (const op of ops) apply(op);
    }) as Promise<boolean> & { readonly flushed: Promise<boolean> };
    const [isOwner] = await Promise.all([written, written.flushed]);
    if (!isOwner) {
      throw new EngineError('STORE_BUSY', 'another process has taken the store over', {
        data: { path: this.#options.path },
      });
    }
  }

  /** Writes without anybody waiting for it; `onDisk` is called when the disk has it. */
  write(ops: readonly Op[], onDisk: () => void = () => undefined): void {
    // Whoever writes like this can live without it; close waits for all that was begun.
    this.commit(ops).then(onDisk, () => undefined);
  }

  /** False while the file system has less free space than the reserve. */
  hasRoom(): boolean {
    const now = this.#clock.now();
    if (now < this.#room.until) return this.#room.hasRoom;
    const hasRoom = freeBytes(this.#options.path) >= (this.#options.reserveBytes ?? RESERVE_BYTES);
    this.#room = { hasRoom, until: now + ROOM_KEPT_MS };
    return hasRoom;
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  #enter(format: number, readOnly: boolean): number {
    const meta = this.#meta;
    const found = Number(meta?.get('format') ?? 0);
    if (found > format) {
      throw new EngineError('STORE_NEWER', `the store has format ${found}; this knows ${format}`, {
        data: { found, known: format, path: this.#options.path },
      });
    }
    if (readOnly || meta === undefined) return 0;
    return meta.transactionSync(() => {
      const epoch = (meta.getEntry('epoch')?.version ?? 0) + 1;
      meta.putSync('epoch', '', epoch);
      meta.putSync('format', String(format), 1);
      return epoch;
    });
  }
}

/**
 * Reads the rows whose key begins with `prefix`, in order, until the end or until `take` answers
 * false.
 */
export function scan(
  db: Texts,
  prefix: readonly Key[],
  take: (key: readonly Key[], text: string) => boolean | undefined,
): void {
  for (const { key, value } of db.getRange({ start: [...prefix] })) {
    const parts = key as readonly Key[];
    if (!prefix.every((part, at) => parts[at] === part)) return;
    if (take(parts, value) === false) return;
  }
}

/** A file system that does not answer has no room that could be promised. */
function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function apply({ db, key, text }: Op): void {
  // One promise stands for the whole commit; those of its parts settle with it.
  if (text === undefined) db.remove(key).catch(() => undefined);
  else db.put(key, text).catch(() => undefined);
}
