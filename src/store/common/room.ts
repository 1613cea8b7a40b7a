import { EngineError } from '../../runtime/engine/error.ts';
import type { Op } from '../engine/commit-line.ts';
import { freeBytes } from './folder.ts';

/** Free bytes below which a store takes no new work, unless set. */
export const RESERVE_BYTES = 128 * 1024 * 1024;
/** Part of the reserve below which nothing at all is written: what runs may use the rest. */
const FLOOR_SHARE = 8;
/** Most that is kept like this, in bytes. */
const FLOOR_BYTES_MAX = 16 * 1024 * 1024;
/** How long an answer of the file system about free space is believed, in milliseconds. */
const ROOM_KEPT_MS = 1_000;
/** Bytes that a change writes at most, as a rule: its page, those above it, and its text. */
const CHANGE_BYTES = 16 * 1024;

/**
 * The free space of a store's file system, looked at now and then. A write that finds no room
 * inside LMDB can end the process; so nothing is begun where the room for it is not sure.
 */
export class Room {
  readonly #path: string;
  readonly #reserveBytes: number;
  readonly #clock: { now(): number };
  readonly #freeOf: (path: string) => number;
  #free = 0;
  /** What may have been written since the last look. */
  #spent = 0;
  #until = Number.NEGATIVE_INFINITY;

  /** @param freeOf - Free bytes of a path's file system. */
  constructor(
    path: string,
    reserveBytes: number,
    clock: { now(): number },
    freeOf: (path: string) => number = freeBytes,
  ) {
    this.#path = path;
    this.#reserveBytes = reserveBytes;
    this.#clock = clock;
    this.#freeOf = freeOf;
  }

  /** True while there is more free space than the reserve. */
  hasReserve(): boolean {
    this.#look();
    return this.#free >= this.#reserveBytes;
  }

  /**
   * Takes the room for some changes.
   *
   * @throws {EngineError} `STORE_FULL` when the reserve is almost used up.
   */
  refuseFull(ops: readonly Op[] = []): void {
    this.take(sizeOf(ops));
  }

  /**
   * Takes the room for some bytes.
   *
   * @throws {EngineError} `STORE_FULL` when the reserve is almost used up.
   */
  take(bytes: number): void {
    const floorBytes = Math.min(FLOOR_BYTES_MAX, this.#reserveBytes / FLOOR_SHARE);
    this.#look();
    this.#spent += bytes;
    if (this.#free - this.#spent >= floorBytes) return;
    this.#until = Number.NEGATIVE_INFINITY;
    this.#look();
    this.#spent = bytes;
    if (this.#free - bytes >= floorBytes) return;
    const data = { path: this.#path, free: this.#free, floorBytes };
    throw new EngineError('STORE_FULL', 'the disk is full, nothing is written', { data });
  }

  #look(): void {
    const now = this.#clock.now();
    if (now < this.#until) return;
    this.#free = this.#freeOf(this.#path);
    this.#spent = 0;
    this.#until = now + ROOM_KEPT_MS;
  }
}

function sizeOf(ops: readonly Op[]): number {
  return ops.reduce((sum, { text = '' }) => sum + CHANGE_BYTES + text.length, 0);
}
