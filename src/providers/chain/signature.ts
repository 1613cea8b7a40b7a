import { randomBytes } from 'node:crypto';
import { keccak256, toHex } from 'viem/utils';
import { secp256k1 } from './secp256k1.ts';

/** Bytes of a key's signature: r, s and v. Any other length is a wallet contract's. */
export const KEY_SIGNATURE_BYTES = 65;

/** A private key that signs digests; the key itself does not leave it. */
export interface DigestSigner {
  /** Lower-case address. */
  readonly address: `0x${string}`;
  /** @returns r, s and v (27 or 28) as 65 bytes in hex, with the low s. */
  sign(digest: Uint8Array): `0x${string}`;
}

/**
 * Recovers the address that signed a digest, in lower case. Accepts exactly one form of each
 * signature: 65 bytes, v of 27 or 28, s in the lower half of the order, as token contracts do.
 *
 * @returns `undefined` when the signature is not of that form or no key fits it.
 */
export function recoverSigner(digest: Uint8Array, signature: string): string | undefined {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const v = bytes[KEY_SIGNATURE_BYTES - 1];
  if (bytes.length !== KEY_SIGNATURE_BYTES || (v !== 27 && v !== 28)) return undefined;
  if (HALF_ORDER.compare(bytes, 32, 64) < 0) return undefined;
  try {
    return addressOf(secp256k1.ecdsaRecover(bytes.subarray(0, 64), v - 27, digest, false));
  } catch {
    return undefined;
  }
}

/** Makes a signer from a private key (32 bytes in hex). */
export function digestSigner(privateKey: string): DigestSigner {
  const key = Buffer.from(privateKey.slice(2), 'hex');
  return {
    address: addressOf(secp256k1.publicKeyCreate(key, false)),
    sign: (digest) => {
      const { signature, recid } = secp256k1.ecdsaSign(digest, key);
      return toHex(Buffer.concat([signature, Buffer.from([27 + recid])]));
    },
  };
}

/** Makes a private key, 32 bytes in hex. */
export function freshKey(): `0x${string}` {
  for (;;) {
    const key = randomBytes(32);
    if (secp256k1.privateKeyVerify(key)) return toHex(key);
  }
}

/** Takes a signer's signature apart, as transactions carry it. */
export function signatureParts(signature: `0x${string}`): {
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

/** Half of the curve's order: a larger s is the same signature written a second way. */
const HALF_ORDER = Buffer.from(
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
  'hex',
);

function addressOf(publicKey: Uint8Array): `0x${string}` {
  return `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
}
