import { hash as digest } from 'node:crypto';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';
import type { Compacted, FamilySize } from '../../runtime/engine/ports.ts';
import { systemClock } from '../../runtime/timer/clock.ts';
import type { Op } from '../engine/commit-queue.ts';
import { Environment } from './environment.ts';
import type { EnvironmentOptions } from './environment-options.ts';
import type { TextTable } from './text-table.ts';

/** Maximum size of one text, in bytes. */
export const BLOB_BYTES_MAX = 8 * 1024 * 1024;
/** How long a text is kept after its last `put`, in milliseconds: longer than any actor. */
export const BLOB_KEPT_MS = 500 * 24 * 60 * 60 * 1_000;
/** Age of the last-seen time from which another `put` updates it, in milliseconds. */
const REFRESH_MS = 30 * 24 * 60 * 60 * 1_000;
const TRIM_BATCH = 1_000;
const FORMAT = 1;

/** The large texts of a data directory, with the operations of its owner. */
export interface DurableBlobStore extends BlobStore {
  /** Removes expired texts, at most 1,000 per call, and returns how many. */
  trim(now: number): Promise<number>;
  /** Returns free space to the file system if more than half of the file is free. */
  compact(): Promise<Compacted | undefined>;
  /** Returns rows and bytes of each key family. */
  sizes(): readonly FamilySize[];
  close(): Promise<void>;
}

/** Options of `openBlobStore`. */
export interface BlobStoreOptions extends EnvironmentOptions {
  readonly clock?: { now(): number };
}

/**
 * Opens the store of large texts on disk. Equal texts share one row. A text keeps what UTF-8 can
 * represent: a lone surrogate becomes U+FFFD, and is hashed as such.
 *
 * @throws {EngineError} `STORE_NEWER` if a newer program has written to this store.
 */
export function openBlobStore(options: BlobStoreOptions): DurableBlobStore {
  return new LmdbBlobStore(new Environment(options, FORMAT), options.clock ?? systemClock());
}

class LmdbBlobStore implements DurableBlobStore {
  readonly #environment: Environment;
  readonly #clock: { now(): number };
  readonly #texts: TextTable;
  /** Hash to the time of the last `put` recorded. */
  readonly #seen: TextTable;
  /** `[at, hash]` */
  readonly #ages: TextTable;
  readonly #pending = new Map<string, Promise<void>>();

  constructor(environment: Environment, clock: { now(): number }) {
    this.#environment = environment;
    this.#clock = clock;
    this.#texts = environment.openTable('texts');
    this.#seen = environment.openTable('seen');
    this.#ages = environment.openTable('ages');
  }

  async put(text: string): Promise<string> {
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes > BLOB_BYTES_MAX) {
      throw new AppError('BODY_TOO_LARGE', {
        message: `The text has ${sizeBytes} bytes; the maximum is ${BLOB_BYTES_MAX}.`,
        data: { received: sizeBytes, allowed: BLOB_BYTES_MAX },
      });
    }
    const hash = digest('sha256', text, 'hex');
    const known = this.#pending.get(hash);
    if (known !== undefined) await known;
    else await this.#write(hash, text);
    return hash;
  }

  get(hash: string): string | undefined {
    return this.#texts.get(hash);
  }

  async trim(now: number): Promise<number> {
    const ops: Op[] = [];
    for (const key of this.#ages.getKeys({ limit: TRIM_BATCH })) {
      const [at, hash] = key as [number, string];
      if (at > now - BLOB_KEPT_MS) break;
      ops.push({ db: this.#ages, key: [at, hash] });
      ops.push({ db: this.#seen, key: hash }, { db: this.#texts, key: hash });
    }
    if (ops.length > 0) await this.#environment.commit(ops);
    return ops.length / 3;
  }

  compact(): Promise<Compacted | undefined> {
    return this.#environment.compact();
  }

  sizes(): readonly FamilySize[] {
    return this.#environment.sizes();
  }

  async close(): Promise<void> {
    await this.#environment.close();
  }

  async #write(hash: string, text: string): Promise<void> {
    const now = this.#clock.now();
    const seen = this.#seen.get(hash);
    if (seen !== undefined && Number(seen) > now - REFRESH_MS) return;
    const ops: Op[] = [
      { db: this.#texts, key: hash, text },
      { db: this.#seen, key: hash, text: String(now) },
      { db: this.#ages, key: [now, hash], text: '' },
    ];
    if (seen !== undefined) ops.push({ db: this.#ages, key: [Number(seen), hash] });
    const written = this.#environment.commit(ops);
    this.#pending.set(hash, written);
    try {
      await written;
    } finally {
      this.#pending.delete(hash);
    }
  }
}
