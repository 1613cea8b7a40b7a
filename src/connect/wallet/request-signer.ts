import { randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';
import { AppError } from '../../domain/common/error.ts';
import type { TypedData } from '../../domain/wallet/typed-data.ts';
import {
  buildWalletRequest,
  type SignedPart,
  WALLET_AHEAD_MAX_S,
  type WalletDomain,
} from '../../domain/wallet/wallet-request.ts';

/** The server and domain that a request is signed for. */
export interface SigningTarget {
  /** Origin of the request URL, from the signer's own configuration. */
  readonly origin: string;
  readonly domain: WalletDomain;
}

/** Signs requests and typed data with a wallet's key. The key never leaves the object. */
export interface RequestSigner {
  /** Lower case. */
  readonly address: string;
  signData(data: TypedData): Promise<string>;
  /** Creates the `stoa-wallet` header of a request with a new nonce. */
  header(request: SignedPart, place: SigningTarget, now: number): Promise<string>;
}

const KEY = /^(0x)?[0-9a-fA-F]{64}$/;
const SECOND_MS = 1_000;

/**
 * Creates a signer from a private key of 64 hex digits.
 *
 * @param source - Origin of the key, for the error; the error never contains the key.
 * @throws {AppError} `CONFIG_INVALID`
 */
export function createRequestSigner(key: string, source: string): RequestSigner {
  const account = parseAccount(key.trim(), source);
  const signData = (data: TypedData): Promise<string> => account.signTypedData(data as never);
  return {
    address: account.address.toLowerCase(),
    signData,
    header: async (request, { origin, domain }, now) => {
      const nonce = `0x${randomBytes(32).toString('hex')}`;
      const expiresAt = Math.floor(now / SECOND_MS) + WALLET_AHEAD_MAX_S / 2;
      const claim = { origin, nonce, expires_at: expiresAt };
      const signature = await signData(buildWalletRequest(request, claim, domain));
      const header = { address: account.address, ...claim, signature };
      return Buffer.from(JSON.stringify(header)).toString('base64url');
    },
  };
}

/** Drops the library's error message, because it may contain the key. */
function parseAccount(text: string, source: string): ReturnType<typeof privateKeyToAccount> {
  try {
    if (KEY.test(text)) {
      return privateKeyToAccount((text.startsWith('0x') ? text : `0x${text}`) as `0x${string}`);
    }
  } catch {
    // Reported below without the key.
  }
  throw new AppError('CONFIG_INVALID', {
    message: 'The private key is not valid; it must be 64 hex digits.',
    data: { source },
  });
}
