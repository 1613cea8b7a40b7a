import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint, parseCheckpoint } from '../../../src/domain/proof/checkpoint.ts';
import {
  buildCosignedText,
  deriveKeyId,
  encodeCosignature,
  findSignedAt,
  formatNote,
  formatVerifierKey,
  type NoteAlgorithm,
  parseNote,
  parseVerifierKey,
  type VerifierKey,
  type VerifyEd25519,
} from '../../../src/domain/proof/note.ts';

/** The example of the specification of signed notes, with its key. */
const EXAMPLE_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const EXAMPLE_NOTE = [
  'If you think cryptography is the answer to your problem,',
  "then you don't know what your problem is.",
  '',
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=',
  '',
].join('\n');

const verifyNode: VerifyEd25519 = (publicKey, message, signature) => {
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, message, key, signature);
};

function newKey(name: string, algorithm: NoteAlgorithm) {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = Buffer.from(String(pair.publicKey.export({ format: 'jwk' }).x), 'base64url');
  const key: VerifierKey = {
    name,
    algorithm,
    publicKey,
    keyId: deriveKeyId(name, algorithm, publicKey),
  };
  return { key, sign: (message: Uint8Array) => sign(null, message, pair.privateKey) };
}

describe('signed notes', () => {
  test('the example of the specification verifies, and no longer when a letter differs', async () => {
    const key = parseVerifierKey(EXAMPLE_KEY);
    const note = parseNote(EXAMPLE_NOTE);
    if (key === undefined || note === undefined) throw new Error('the example was not read');
    expect(await findSignedAt(note, key, verifyNode)).toBe(0);
    expect(formatNote(note)).toBe(EXAMPLE_NOTE);
    expect(formatVerifierKey(key)).toBe(EXAMPLE_KEY);
    const changed = { ...note, text: note.text.replace('answer', 'Answer') };
    expect(await findSignedAt(changed, key, verifyNode)).toBeUndefined();
  });

  test('a witness signs the time at which it saw the text', async () => {
    const { key, sign: signBy } = newKey('witness.example/w1', 'cosignature');
    const text = formatCheckpoint({ origin: 'log.example', size: 7, root: new Uint8Array(32) });
    const signature = encodeCosignature(
      1_700_000_000,
      signBy(buildCosignedText(text, 1_700_000_000)),
    );
    const line = { name: key.name, keyId: key.keyId, signature };
    const note = parseNote(formatNote({ text, signatures: [line] }));
    if (note === undefined) throw new Error('the note was not read');
    expect(await findSignedAt(note, key, verifyNode)).toBe(1_700_000_000);
    const later = encodeCosignature(1_700_000_001, signature.slice(8));
    const forged = { ...note, signatures: [{ ...line, signature: later }] };
    expect(await findSignedAt(forged, key, verifyNode)).toBeUndefined();
  });

  test('a key whose id does not fit it is refused', () => {
    expect(parseVerifierKey(EXAMPLE_KEY.replace('c74f20a3', 'c74f20a4'))).toBeUndefined();
    expect(parseVerifierKey(EXAMPLE_KEY.replace('+ARpc', '+AhpcB'))).toBeUndefined();
    expect(parseVerifierKey('no key')).toBeUndefined();
  });

  test('any text is read without a throw, and what is read is written alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const note = parseNote(text);
        if (note !== undefined) expect(formatNote(note)).toBe(text);
        parseVerifierKey(text);
        parseCheckpoint(text);
      }),
    );
  });
});

describe('checkpoints', () => {
  test('a checkpoint is read as it was written', () => {
    const root = Uint8Array.from({ length: 32 }, (_, at) => at);
    const checkpoint = { origin: 'log.example/stoa', size: 2 ** 40, root };
    expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint);
  });

  test.each([
    ['a size with a leading zero', 'log\n01\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'],
    ['a short root', 'log\n1\nAAAA\n'],
    ['no origin', '\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'],
    ['no last newline', 'log\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='],
  ])('%s is refused', (_why, text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });
});
