import ts from 'typescript';
import { at, nodesOf, type Rule } from './files.ts';

const MARKS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\bsk-[A-Za-z0-9_-]{20}/,
  /\bAKIA[A-Z0-9]{16}/,
  /\bghp_[A-Za-z0-9]{30}/,
  /\btest test test test\b/,
];

// Numbers of the curve that everybody knows.
const PUBLIC = new Set(['7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0']);

/** Specification C5: no secret in the code: no key material, no word list, no vendor's key. */
export const holdsNoSecret: Rule = (file) =>
  [...nodesOf(file.tree)].flatMap((node) => {
    if (!ts.isStringLiteralLike(node)) return [];
    const isKeySized = /^(0x)?[0-9a-fA-F]{64}$/.test(node.text) && !isPublic(node.text);
    if (!isKeySized && !MARKS.some((mark) => mark.test(node.text))) return [];
    return [at(file, node.getStart(), 'looks like a secret')];
  });

// Zeros or one repeated digit are a placeholder for a hash, not a key.
function isPublic(text: string): boolean {
  const digits = text.replace(/^0x/, '').toLowerCase();
  return PUBLIC.has(digits) || new Set(digits).size === 1;
}
