import { createHash, randomBytes } from 'node:crypto';
import { hexToBytes, toHex, verifyTypedData } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { TypedData } from '../../src/domain/wallet/typed-data.ts';

/** What signed requests are meant for in tests without a chain. */
export const TEST_DOMAIN = {
  chainId: 31_337,
  verifyingContract: '0x00000000000000000000000000000000000000e5',
} as const;

/** Where signed requests go in tests without a server of their own. */
export const TEST_ORIGIN = 'https://stoa.example';

/** A request to be signed, as a client sees it. */
export interface UnsignedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** What a signed request may differ in from an honest one. Changes are signed. */
export interface ClaimOverrides {
  readonly nonce?: string;
  readonly expiresAt?: number;
  readonly chainId?: number;
  readonly verifyingContract?: string;
  readonly origin?: string;
  /** Replaces members after signing. */
  readonly claim?: Readonly<Record<string, unknown>>;
}

/** A wallet that signs requests with viem, as a stranger's client would. */
export interface SigningWallet {
  readonly account: ReturnType<typeof privateKeyToAccount>;
  readonly privateKey: `0x${string}`;
  /** Lower case. */
  readonly address: string;
  /** The `stoa-wallet` header. */
  header(request: UnsignedRequest, overrides?: ClaimOverrides): Promise<string>;
  /** Signs what a server asks for. */
  sign(data: TypedData): Promise<`0x${string}`>;
}

/** Makes a wallet with a fresh key, or with the one given. */
export function signingWallet(
  domain: {
    readonly chainId: number;
    readonly verifyingContract: string;
    /** `TEST_ORIGIN` unless given. */
    readonly origin?: string | (() => string);
  } = TEST_DOMAIN,
  privateKey: `0x${string}` = generatePrivateKey(),
): SigningWallet {
  const account = privateKeyToAccount(privateKey);
  return {
    account,
    privateKey,
    address: account.address.toLowerCase(),
    header: async ({ method, path, body = '' }, overrides = {}) => {
      const nonce = overrides.nonce ?? toHex(randomBytes(32));
      const expiresAt = overrides.expiresAt ?? Math.floor(Date.now() / 1000) + 120;
      const place = typeof domain.origin === 'function' ? domain.origin() : domain.origin;
      const origin = overrides.origin ?? place ?? TEST_ORIGIN;
      const { chainId = domain.chainId, verifyingContract = domain.verifyingContract } = overrides;
      const signature = await account.signTypedData({
        domain: {
          name: 'Stoa Wallet Request',
          version: '2',
          chainId,
          verifyingContract: verifyingContract as `0x${string}`,
        },
        types: {
          WalletRequest: [
            { name: 'origin', type: 'string' },
            { name: 'method', type: 'string' },
            { name: 'path', type: 'string' },
            { name: 'bodyHash', type: 'bytes32' },
            { name: 'nonce', type: 'bytes32' },
            { name: 'expiresAt', type: 'uint256' },
          ],
        },
        primaryType: 'WalletRequest',
        message: {
          origin,
          method,
          path,
          bodyHash: `0x${createHash('sha256').update(body).digest('hex')}`,
          nonce: nonce as `0x${string}`,
          expiresAt: BigInt(expiresAt),
        },
      });
      const claim = {
        address: account.address,
        origin,
        nonce,
        expires_at: expiresAt,
        signature,
        ...overrides.claim,
      };
      return Buffer.from(JSON.stringify(claim)).toString('base64url');
    },
    sign: (data) => account.signTypedData(data as never),
  };
}

/** Tells by viem whether the key of an address has signed. */
export async function isSignedByKey(
  wallet: string,
  data: TypedData,
  signature: string,
): Promise<boolean> {
  if (hexToBytes(signature as `0x${string}`).length !== 65) return false;
  return verifyTypedData({
    ...data,
    address: wallet as `0x${string}`,
    signature: signature as `0x${string}`,
  } as never).catch(() => false);
}
