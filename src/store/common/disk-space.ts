import { EngineError } from '../../runtime/engine/error.ts';
import type { Op } from '../engine/commit-queue.ts';
import { freeBytes } from './folder.ts';

/** Default free bytes below which a store rejects new work. */
export const RESERVE_BYTES = 128 * 1024 * 1024;
/** Fraction of the reserve below which nothing at all is written; running work may use the rest. */
const FLOOR_DIVISOR = 8;
/** Maximum of this lower limit, in bytes. */
const FLOOR_BYTES_MAX = 16 * 1024 * 1024;
/** How long a free-space reading is cached, in milliseconds. */
const READING_KEPT_MS = 1_000;
/** Typical maximum size of a change, in bytes: its page, its parent pages, and its text. */
const CHANGE_BYTES = 16 * 1024;

/**
 * Tracks the free space of a store's file system with a cached reading. A write that runs out of
 * space inside LMDB can crash the process, so no write starts unless its space is certain.
 */
export class DiskSpace {
  readonly #path: string;
  readonly #reserveBytes: number;
  readonly #clock: { now(): number };
  readonly #readFree: (path: string) => number;
  #free = 0;
  /** Bytes that may have been written since the last reading. */
  #spent = 0;
  #validUntil = Number.NEGATIVE_INFINITY;

  /** @param freeOf - Returns the free bytes of a path's file system. */
  constructor(
    path: string,
    reserveBytes: number,
    clock: { now(): number },
    freeOf: (path: string) => number = freeBytes,
  ) {
    this.#path = path;
    this.#reserveBytes = reserveBytes;
    this.#clock = clock;
    this.#readFree = freeOf;
  }

  /** Returns whether there is more free space than the reserve. */
  hasReserve(): boolean {
    this.#refresh();
    return this.#free >= this.#reserveBytes;
  }

  /**
   * Reserves the space for some changes.
   *
   * @throws {EngineError} `STORE_FULL` if the reserve is almost used up.
   */
  reserveOps(ops: readonly Op[] = []): void {
    this.reserve(estimateSize(ops));
  }

  /**
   * Reserves some bytes.
   *
   * @throws {EngineError} `STORE_FULL` if the reserve is almost used up.
   */
  reserve(bytes: number): void {
    const floorBytes = Math.min(FLOOR_BYTES_MAX, this.#reserveBytes / FLOOR_DIVISOR);
    this.#refresh();
    this.#spent += bytes;
    if (this.#free - this.#spent >= floorBytes) return;
    this.#validUntil = Number.NEGATIVE_INFINITY;
    this.#refresh();
    this.#spent = bytes;
    if (this.#free - bytes >= floorBytes) return;
    const data = { path: this.#path, free: this.#free, floorBytes };
    throw new EngineError('STORE_FULL', 'The disk is full. Nothing was written.', { data });
  }

  #refresh(): void {
    const now = this.#clock.now();
    if (now < this.#validUntil) return;
    this.#free = this.#readFree(this.#path);
    this.#spent = 0;
    this.#validUntil = now + READING_KEPT_MS;
  }
}

function estimateSize(ops: readonly Op[]): number {
  return ops.reduce((sum, { text = '' }) => sum + CHANGE_BYTES + text.length, 0);
}
