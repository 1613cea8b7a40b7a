import { AppError } from '../../domain/common/error.ts';
import { type Hash, nodeHash, type ReadNode } from '../../domain/proof/merkle.ts';
import type { TextTable } from '../common/text-table.ts';
import type { Op } from '../engine/commit-queue.ts';

/** Hashes of a full tile, and tree levels that it spans, as in C2SP `tlog-tiles`. */
const TILE_WIDTH = 256;
const TILE_LEVELS = 8;
/** Size of a hash, in bytes. */
const HASH_BYTES = 32;
/** Maximum hashes cached after a read: about 1 MB. */
const CACHED_MAX = 4_096;
/** Minimum cached level; hashes closer to the leaves are shared by few paths. */
const CACHED_LEVEL_MIN = 3;

/** The full subtrees of a log; each hash is a row under its level and index. */
export class ProofTree {
  readonly #hashes: TextTable;
  /** Hashes that are not on disk yet. */
  readonly #unwritten = new Map<number, Hash>();
  /** Hashes cached from the disk. A full subtree never changes. */
  readonly #cached = new Map<number, Hash>();
  #size: number;

  constructor(hashes: TextTable, size: number) {
    this.#hashes = hashes;
    this.#size = size;
  }

  /** Returns the hash of a full subtree. */
  readonly read: ReadNode = (level, index) => {
    const position = packPosition(level, index);
    const known = this.#unwritten.get(position) ?? this.#cached.get(position);
    if (known !== undefined) return known;
    const hash = new Uint8Array(Buffer.from(this.#hashes.get([level, index]) ?? '', 'base64'));
    if (hash.length !== HASH_BYTES) {
      throw new AppError('INVARIANT', { message: `The hash ${level}/${index} is missing.` });
    }
    if (level >= CACHED_LEVEL_MIN) this.#cache(position, hash);
    return hash;
  };

  /** Adds a leaf. The rows belong to the commit of its record. */
  addLeaf(leaf: Hash): readonly Op[] {
    const ops: Op[] = [];
    let [hash, level, index] = [leaf, 0, this.#size];
    for (;;) {
      this.#unwritten.set(packPosition(level, index), hash);
      ops.push({ db: this.#hashes, key: [level, index], text: encodeBase64(hash) });
      if (index % 2 === 0) break;
      hash = nodeHash(this.read(level, index - 1), hash);
      [level, index] = [level + 1, (index - 1) / 2];
    }
    this.#size += 1;
    return ops;
  }

  /** Records that the rows of a leaf are on disk. */
  markWritten(ops: readonly Op[]): void {
    for (const { key } of ops) {
      const [level, index] = key as [number, number];
      this.#unwritten.delete(packPosition(level, index));
    }
  }

  /**
   * Returns the hashes of a tile in a log of `size` records; a tile at the right edge can be
   * partial.
   */
  tile(tileLevel: number, tileIndex: number, size: number): readonly Hash[] {
    const level = tileLevel * TILE_LEVELS;
    const first = tileIndex * TILE_WIDTH;
    const available = Math.floor(size / 2 ** level) - first;
    const width = Math.max(0, Math.min(TILE_WIDTH, available));
    return Array.from({ length: width }, (_, at) => this.read(level, first + at));
  }

  #cache(place: number, hash: Hash): void {
    if (this.#cached.size >= CACHED_MAX) {
      const [oldest] = this.#cached.keys();
      if (oldest !== undefined) this.#cached.delete(oldest);
    }
    this.#cached.set(place, hash);
  }
}

/** Packs a position in the tree into one number; indices stay below 2^47, levels below 64. */
function packPosition(level: number, index: number): number {
  return index * 64 + level;
}

function encodeBase64({ buffer, byteOffset, length }: Hash): string {
  return Buffer.from(buffer, byteOffset, length).toString('base64');
}
