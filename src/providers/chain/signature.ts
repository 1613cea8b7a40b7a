import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { keccak256, toHex } from 'viem/utils';

/** The curve in native code. The package falls back to JavaScript if it has no binary. */
const secp256k1 = loadSecp256k1();

/** Length of a signature by a key: r, s and v. Other lengths come from contract wallets. */
export const KEY_SIGNATURE_BYTES = 65;

/** A private key that signs digests. The key itself is not accessible. */
export interface DigestSigner {
  /** Lower-case address. */
  readonly address: `0x${string}`;
  /** @returns r, s and v (27 or 28) as 65 bytes in hex, with the low s. */
  sign(digest: Uint8Array): `0x${string}`;
}

/**
 * Returns the address that signed a digest, in lower case. Accepts one form of each signature, as
 * token contracts do: 65 bytes, v of 27 or 28, and s in the lower half of the order.
 *
 * @returns `undefined` if the signature is not of that form or matches no key.
 */
export function recoverSigner(digest: Uint8Array, signature: string): string | undefined {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const v = bytes[KEY_SIGNATURE_BYTES - 1];
  if (bytes.length !== KEY_SIGNATURE_BYTES || (v !== 27 && v !== 28)) return undefined;
  if (HALF_ORDER.compare(bytes, 32, 64) < 0) return undefined;
  try {
    return toAddress(secp256k1.ecdsaRecover(bytes.subarray(0, 64), v - 27, digest, false));
  } catch {
    return undefined;
  }
}

/** Creates a signer from a private key (32 bytes in hex). */
export function createDigestSigner(privateKey: string): DigestSigner {
  const key = Buffer.from(privateKey.slice(2), 'hex');
  return {
    address: toAddress(secp256k1.publicKeyCreate(key, false)),
    sign: (digest) => {
      const { signature, recid } = secp256k1.ecdsaSign(digest, key);
      return toHex(Buffer.concat([signature, Buffer.from([27 + recid])]));
    },
  };
}

/** Creates a private key, 32 bytes in hex. */
export function generateKey(): `0x${string}` {
  for (;;) {
    const key = randomBytes(32);
    if (secp256k1.privateKeyVerify(key)) return toHex(key);
  }
}

/** Splits a signature into the parts that a transaction needs. */
export function splitSignature(signature: `0x${string}`): {
  readonly r: `0x${string}`;
  readonly s: `0x${string}`;
  readonly yParity: number;
} {
  const digits = signature.slice(2);
  return {
    r: `0x${digits.slice(0, 64)}`,
    s: `0x${digits.slice(64, 128)}`,
    yParity: Number.parseInt(digits.slice(128), 16) - 27,
  };
}

/** Half of the curve's order. A larger s is a second form of the same signature. */
const HALF_ORDER = Buffer.from(
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
  'hex',
);

function toAddress(publicKey: Uint8Array): `0x${string}` {
  return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
}

/** Loads the copy in the build, which has its native code with it, or else the package. */
function loadSecp256k1(): Secp256k1 {
  const built = join(import.meta.dirname, '..', 'native', 'secp256k1.cjs');
  return createRequire(import.meta.url)(existsSync(built) ? built : 'secp256k1') as Secp256k1;
}

/** The part of the native secp256k1 binding that is used here. Invalid input throws. */
interface Secp256k1 {
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
