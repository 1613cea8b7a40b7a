import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeMerkleRoot } from '../../../src/domain/panel/merkle.ts';

function sha(...parts: (Uint8Array | string)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

const leaf = (text: string) => sha(Uint8Array.of(0), text);
const node = (left: Buffer, right: Buffer) => sha(Uint8Array.of(1), left, right);

test('the root is that of RFC 6962 over canonical JSON', () => {
  const [a, b, c] = [leaf('{"a":1}'), leaf('2'), leaf('"x"')];
  expect(computeMerkleRoot([{ a: 1 }])).toBe(a.toString('hex'));
  expect(computeMerkleRoot([{ a: 1 }, 2])).toBe(node(a, b).toString('hex'));
  expect(computeMerkleRoot([{ a: 1 }, 2, 'x'])).toBe(node(node(a, b), c).toString('hex'));
});

test('an empty list has the hash of nothing', () => {
  expect(computeMerkleRoot([])).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});

test('order and every member count', () => {
  expect(computeMerkleRoot([1, 2])).not.toBe(computeMerkleRoot([2, 1]));
  expect(computeMerkleRoot([{ a: 1, b: 2 }])).toBe(computeMerkleRoot([{ b: 2, a: 1 }]));
  expect(computeMerkleRoot([{ a: 1 }])).not.toBe(computeMerkleRoot([{ a: 2 }]));
});
