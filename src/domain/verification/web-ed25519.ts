import type { VerifyEd25519 } from '../proof/note.ts';

/** Checks Ed25519 signatures by WebCrypto, for browsers. A key that is none has signed nothing. */
export const webVerifyEd25519: VerifyEd25519 = async (publicKey, message, signature) => {
  const { subtle } = globalThis.crypto;
  try {
    const key = await subtle.importKey('raw', own(publicKey), 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, own(signature), own(message));
  } catch {
    return false;
  }
};

/** A copy of its own: WebCrypto takes no view of a larger buffer in every browser. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
