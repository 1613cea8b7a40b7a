import { sha256 } from '@noble/hashes/sha2.js';

/** A SHA-256 hash of 32 bytes. */
export type Hash = Uint8Array;

/** Hashes a record (RFC 6962, section 2.1): SHA-256 of a zero byte and the record. */
export function leafHash(record: Uint8Array): Hash {
  return sha256.create().update(LEAF_PREFIX).update(record).digest();
}

/** Hashes two subtrees: SHA-256 of a one byte, the left and the right hash. */
export function nodeHash(left: Hash, right: Hash): Hash {
  return sha256.create().update(NODE_PREFIX).update(left).update(right).digest();
}

/**
 * Returns the hash of the full subtree of `2 ** level` leaves at `index`; 0 0 is the first leaf.
 */
export type ReadNode = (level: number, index: number) => Hash;

/**
 * Cache of the hashes of incomplete subtrees, by first leaf. In a tree of one size they all end at
 * its last leaf. Share it to compute many paths of that size.
 */
export type EdgeCache = Map<number, Hash>;

/** Returns the root of a log of `size` leaves; for an empty log, SHA-256 of the empty text. */
export function computeRoot(size: number, read: ReadNode, edge?: EdgeCache): Hash {
  return size === 0 ? sha256(new Uint8Array()) : computeRangeHash(0, size, { read, edge });
}

/**
 * Returns the inclusion path of leaf `index` in the tree of `size` leaves, from the leaf upwards
 * (RFC 6962, section 2.1.1).
 */
export function computeInclusionPath(
  index: number,
  size: number,
  read: ReadNode,
  edge?: EdgeCache,
): readonly Hash[] {
  return buildPath({ index, from: 0, to: size }, { read, edge });
}

/**
 * Returns the consistency path that proves that the tree of `older` leaves is a prefix of the tree
 * of `newer` leaves (RFC 6962, section 2.1.2). Empty if both are equal or `older` is 0.
 */
export function computeConsistencyPath(
  older: number,
  newer: number,
  read: ReadNode,
  edge?: EdgeCache,
): readonly Hash[] {
  if (older === 0 || older === newer) return [];
  return buildSubproof({ older, from: 0, to: newer, isWhole: true }, { read, edge });
}

/** A claim that a tree includes a leaf. */
export interface InclusionClaim {
  readonly leaf: Hash;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Hash[];
  readonly root: Hash;
}

/** Verifies that a path leads from the leaf to the root (RFC 9162, section 2.1.3.2). */
export function verifyInclusion({ leaf, index, size, path, root }: InclusionClaim): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  const climb = new ProofClimb(index, size - 1);
  let hash = leaf;
  for (const side of path) {
    if (climb.isAtTop) return false;
    hash = climb.climbStep() === 'left' ? nodeHash(side, hash) : nodeHash(hash, side);
  }
  return climb.isAtTop && isSameHash(hash, root);
}

/** A claim that one tree is a prefix of another. */
export interface ConsistencyClaim {
  readonly older: number;
  readonly newer: number;
  readonly path: readonly Hash[];
  readonly olderRoot: Hash;
  readonly newerRoot: Hash;
}

/** Verifies that the older tree is a prefix of the newer one (RFC 9162, section 2.1.4.2). */
export function verifyConsistency({ older, newer, path, ...roots }: ConsistencyClaim): boolean {
  const { olderRoot, newerRoot } = roots;
  if (!isCount(older) || !isCount(newer) || older > newer) return false;
  if (older === newer) return path.length === 0 && isSameHash(olderRoot, newerRoot);
  if (older === 0) return path.length === 0;
  const hashes = isPowerOfTwo(older) ? [olderRoot, ...path] : [...path];
  const first = hashes.shift();
  if (first === undefined) return false;
  const climb = new ProofClimb(older - 1, newer - 1);
  climb.skipRight();
  let [old, now] = [first, first];
  for (const side of hashes) {
    if (climb.isAtTop) return false;
    if (climb.climbStep() === 'left') [old, now] = [nodeHash(side, old), nodeHash(side, now)];
    else now = nodeHash(now, side);
  }
  return climb.isAtTop && isSameHash(old, olderRoot) && isSameHash(now, newerRoot);
}

/** Checks whether two hashes are equal. */
export function isSameHash(one: Hash, other: Hash): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** The way from a leaf to the root of a tree that may be incomplete. */
class ProofClimb {
  #place: number;
  #last: number;

  constructor(index: number, last: number) {
    this.#place = index;
    this.#last = last;
  }

  get isAtTop(): boolean {
    return this.#last === 0;
  }

  /** Moves up past one hash of the path and returns the side of that hash. */
  climbStep(): 'left' | 'right' {
    const isLeft = isOdd(this.#place) || this.#place === this.#last;
    if (isLeft) while (!isOdd(this.#place) && this.#place !== 0) this.#up();
    this.#up();
    return isLeft ? 'left' : 'right';
  }

  /** Moves up while the node is a right child. */
  skipRight(): void {
    while (isOdd(this.#place)) this.#up();
  }

  #up(): void {
    this.#place = halve(this.#place);
    this.#last = halve(this.#last);
  }
}

const LEAF_PREFIX = Uint8Array.of(0);
const NODE_PREFIX = Uint8Array.of(1);

/** The hashes of a tree of one size. */
interface Tree {
  readonly read: ReadNode;
  readonly edge: EdgeCache | undefined;
}

function computeRangeHash(from: number, to: number, tree: Tree): Hash {
  const width = to - from;
  if (isPowerOfTwo(width) && from % width === 0) return tree.read(Math.log2(width), from / width);
  const cached = tree.edge?.get(from);
  if (cached !== undefined) return cached;
  const split = from + largestPowerBelow(width);
  const hash = nodeHash(computeRangeHash(from, split, tree), computeRangeHash(split, to, tree));
  tree.edge?.set(from, hash);
  return hash;
}

interface LeafRange {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

function buildPath({ index, from, to }: LeafRange, tree: Tree): readonly Hash[] {
  if (to - from <= 1) return [];
  const middle = from + largestPowerBelow(to - from);
  return index < middle
    ? [...buildPath({ index, from, to: middle }, tree), computeRangeHash(middle, to, tree)]
    : [...buildPath({ index, from: middle, to }, tree), computeRangeHash(from, middle, tree)];
}

interface PrefixRange {
  readonly older: number;
  readonly from: number;
  readonly to: number;
  /** Whether the subtree starts with the older tree, whose root the verifier knows. */
  readonly isWhole: boolean;
}

function buildSubproof({ older, from, to, isWhole }: PrefixRange, tree: Tree): readonly Hash[] {
  if (older === to) return isWhole ? [] : [computeRangeHash(from, to, tree)];
  const middle = from + largestPowerBelow(to - from);
  return older <= middle
    ? [
        ...buildSubproof({ older, from, to: middle, isWhole }, tree),
        computeRangeHash(middle, to, tree),
      ]
    : [
        ...buildSubproof({ older, from: middle, to, isWhole: false }, tree),
        computeRangeHash(from, middle, tree),
      ];
}

/** Returns the largest power of two below a width. */
function largestPowerBelow(width: number): number {
  return 2 ** Math.floor(Math.log2(width - 1));
}

// Sizes may exceed 2^31, which rules out bitwise operations.
function halve(count: number): number {
  return Math.floor(count / 2);
}

function isOdd(count: number): boolean {
  return count % 2 === 1;
}

function isPowerOfTwo(count: number): boolean {
  return 2 ** Math.floor(Math.log2(count)) === count;
}

function isCount(count: number): boolean {
  return Number.isSafeInteger(count) && count >= 0;
}
