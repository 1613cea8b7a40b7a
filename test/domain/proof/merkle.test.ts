import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeConsistencyPath,
  computeInclusionPath,
  computeRoot,
  type EdgeCache,
  type Hash,
  leafHash,
  nodeHash,
  type ReadNode,
  verifyConsistency,
  verifyInclusion,
} from '../../../src/domain/proof/merkle.ts';

/** Leaves and roots that implementations of Certificate Transparency share as test vectors. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** A log of so many leaves, each its own number. */
function logOf(size: number): { readonly leaves: readonly Hash[]; readonly read: ReadNode } {
  const leaves = Array.from({ length: size }, (_, at) => leafHash(Uint8Array.of(at, at >> 8)));
  return { leaves, read: reading(leaves) };
}

function reading(leaves: readonly Hash[]): ReadNode {
  const read: ReadNode = (level, index) =>
    level === 0
      ? (leaves[index] as Hash)
      : nodeHash(read(level - 1, index * 2), read(level - 1, index * 2 + 1));
  return read;
}

describe('merkle', () => {
  test('roots are those of the vectors of Certificate Transparency', () => {
    const read = reading(LEAVES.map((leaf) => leafHash(hexToBytes(leaf))));
    const roots = ROOTS.map((_, size) => bytesToHex(computeRoot(size, read)));
    expect(roots).toEqual(ROOTS);
  });

  test('every leaf of every size is shown to be in, and no other leaf in its place', () => {
    for (let size = 1; size <= 70; size += 1) {
      const { leaves, read } = logOf(size);
      const root = computeRoot(size, read);
      leaves.forEach((leaf, index) => {
        const claim = { leaf, index, size, path: computeInclusionPath(index, size, read), root };
        expect(verifyInclusion(claim)).toBe(true);
        expect(verifyInclusion({ ...claim, index: (index + 1) % size })).toBe(size === 1);
        expect(verifyInclusion({ ...claim, path: [...claim.path, leaf] })).toBe(false);
      });
    }
  });

  test('an edge that is kept for a size changes no path and no root of that size', () => {
    for (const size of [1, 2, 3, 7, 8, 13, 33, 43]) {
      const { read } = logOf(size);
      const edge: EdgeCache = new Map();
      expect(computeRoot(size, read, edge)).toEqual(computeRoot(size, read));
      for (let index = 0; index < size; index += 1) {
        const path = computeInclusionPath(index, size, read);
        expect(computeInclusionPath(index, size, read, edge)).toEqual(path);
        expect(computeConsistencyPath(index, size, read, edge)).toEqual(
          computeConsistencyPath(index, size, read),
        );
      }
      expect(edge.size).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
    }
  });

  test('every size is shown to be the beginning of every larger one', () => {
    const { read } = logOf(70);
    for (let newer = 1; newer <= 70; newer += 1) {
      for (let older = 0; older <= newer; older += 1) {
        const path = computeConsistencyPath(older, newer, read);
        const roots = { olderRoot: computeRoot(older, read), newerRoot: computeRoot(newer, read) };
        expect(verifyConsistency({ older, newer, path, ...roots })).toBe(true);
      }
    }
  });

  test('a changed history, path, size or root is refused', () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }));
    fc.assert(
      fc.property(sizes, fc.nat(), ([a, b], at) => {
        const [older, newer] = [Math.min(a, b), Math.max(a, b)];
        const { leaves, read } = logOf(newer);
        const changed = leaves.map((leaf, index) =>
          index === at % older ? leafHash(Uint8Array.of(9, 9, 9)) : leaf,
        );
        const olderRoot = computeRoot(older, reading(changed));
        const newerRoot = computeRoot(newer, read);
        const path = computeConsistencyPath(older, newer, read);
        expect(verifyConsistency({ older, newer, path, olderRoot, newerRoot })).toBe(false);
        const lying = computeConsistencyPath(older, newer, reading(changed));
        expect(verifyConsistency({ older, newer, path: lying, olderRoot, newerRoot })).toBe(false);
      }),
    );
  });

  test('a log larger than 2^32 is read like a small one', () => {
    const size = 2 ** 33 + 5;
    const leaf = leafHash(Uint8Array.of(1));
    const levels: Hash[] = [leaf];
    const read: ReadNode = (level) => {
      for (let at = levels.length; at <= level; at += 1) {
        levels.push(nodeHash(levels[at - 1] as Hash, levels[at - 1] as Hash));
      }
      return levels[level] as Hash;
    };
    const root = computeRoot(size, read);
    for (const index of [0, 2 ** 32, size - 1]) {
      expect(
        verifyInclusion({ leaf, index, size, path: computeInclusionPath(index, size, read), root }),
      ).toBe(true);
    }
    const older = 2 ** 32 + 3;
    const path = computeConsistencyPath(older, size, read);
    const olderRoot = computeRoot(older, read);
    expect(verifyConsistency({ older, newer: size, path, olderRoot, newerRoot: root })).toBe(true);
  });
});
