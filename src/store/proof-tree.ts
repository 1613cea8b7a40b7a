import { AppError } from '../domain/error.ts';
import { fromBase64, toBase64 } from '../domain/proof/base64.ts';
import { type Hash, nodeHash, type ReadNode } from '../domain/proof/merkle.ts';
import type { Op } from './commit-line.ts';
import type { Texts } from './table.ts';

/** Hashes of a full tile, and levels of the tree that it spans: those of C2SP `tlog-tiles`. */
const TILE_WIDTH = 256;
const TILE_LEVELS = 8;

/** The full subtrees of a log, each hash in a row of its own under its level and index. */
export class ProofTree {
  readonly #hashes: Texts;
  /** Hashes that are on their way to the disk. */
  readonly #fresh = new Map<string, Hash>();
  #size: number;

  constructor(hashes: Texts, size: number) {
    this.#hashes = hashes;
    this.#size = size;
  }

  /** Reads the hash of a full subtree. */
  readonly read: ReadNode = (level, index) => {
    const fresh = this.#fresh.get(`${level}/${index}`);
    if (fresh !== undefined) return fresh;
    const text = this.#hashes.get([level, index]);
    const hash = text === undefined ? undefined : fromBase64(text);
    if (hash !== undefined) return hash;
    throw new AppError('INVARIANT', { message: `the hash ${level}/${index} is not kept` });
  };

  /** Adds a leaf. The rows belong into the commit of its record. */
  grow(leaf: Hash): readonly Op[] {
    const ops: Op[] = [];
    let [hash, level, index] = [leaf, 0, this.#size];
    for (;;) {
      this.#fresh.set(`${level}/${index}`, hash);
      ops.push({ db: this.#hashes, key: [level, index], text: toBase64(hash) });
      if (index % 2 === 0) break;
      hash = nodeHash(this.read(level, index - 1), hash);
      [level, index] = [level + 1, (index - 1) / 2];
    }
    this.#size += 1;
    return ops;
  }

  /** The rows of `grow` are on disk. */
  settled(ops: readonly Op[]): void {
    for (const { key } of ops) {
      const [level, index] = key as [number, number];
      this.#fresh.delete(`${level}/${index}`);
    }
  }

  /** Hashes of a tile in a log of `size` records; those at its right edge may be fewer than 256. */
  tile(tileLevel: number, tileIndex: number, size: number): readonly Hash[] {
    const level = tileLevel * TILE_LEVELS;
    const first = tileIndex * TILE_WIDTH;
    const there = Math.floor(size / 2 ** level) - first;
    const width = Math.max(0, Math.min(TILE_WIDTH, there));
    return Array.from({ length: width }, (_, at) => this.read(level, first + at));
  }
}
