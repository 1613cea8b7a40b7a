import type { VerifyEd25519 } from '../proof/note.ts';

/** Verifies Ed25519 signatures with WebCrypto, for browsers. Returns false for an invalid key. */
export const webVerifyEd25519: VerifyEd25519 = async (publicKey, message, signature) => {
  const { subtle } = globalThis.crypto;
  try {
    const key = await subtle.importKey('raw', copyBytes(publicKey), 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, copyBytes(signature), copyBytes(message));
  } catch {
    return false;
  }
};

/** Copies the bytes, because not every browser accepts a view of a larger buffer. */
function copyBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
