import { createRequire } from 'node:module';

/** The part of the native secp256k1 binding that is used here. Invalid input throws. */
export interface Secp256k1 {
  /** @returns The public key, 65 bytes with the leading 4. */
  ecdsaRecover(
    signature: Uint8Array,
    recoveryId: number,
    digest: Uint8Array,
    compressed: false,
  ): Uint8Array;
  ecdsaSign(
    digest: Uint8Array,
    privateKey: Uint8Array,
  ): { readonly signature: Uint8Array; readonly recid: number };
  /** Returns whether 32 bytes are a valid key: above zero and below the curve's order. */
  privateKeyVerify(privateKey: Uint8Array): boolean;
  /** @returns The public key, 65 bytes with the leading 4. */
  publicKeyCreate(privateKey: Uint8Array, compressed: false): Uint8Array;
}

/** The curve in native code. The package falls back to JavaScript if it has no binary. */
export const secp256k1 = createRequire(import.meta.url)('secp256k1') as Secp256k1;
