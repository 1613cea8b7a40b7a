import { randomBytes } from 'node:crypto';
import { privateKeyToAccount } from 'viem/accounts';
import { AppError } from '../../domain/common/error.ts';
import type { TypedData } from '../../domain/wallet/typed-data.ts';
import {
  type SignedPart,
  WALLET_AHEAD_MAX_S,
  type WalletDomain,
  walletRequest,
} from '../../domain/wallet/wallet-request.ts';

/** What a request is signed for. */
export interface SigningPlace {
  /** Of the address that the request goes to, as the signer itself knows it. */
  readonly origin: string;
  readonly domain: WalletDomain;
}

/** A wallet's key that signs requests and typed data. The key itself never leaves the object. */
export interface RequestSigner {
  /** Lower case. */
  readonly address: string;
  signData(data: TypedData): Promise<string>;
  /** The `stoa-wallet` header of a request, with a fresh nonce. */
  header(request: SignedPart, place: SigningPlace, now: number): Promise<string>;
}

const KEY = /^(0x)?[0-9a-fA-F]{64}$/;
const SECOND_MS = 1_000;

/**
 * Opens a signer from a private key: 64 hex digits.
 *
 * @param source - Where the key is from, for the error: the key is never told.
 * @throws {AppError} `CONFIG_INVALID`
 */
export function openRequestSigner(key: string, source: string): RequestSigner {
  const account = accountOf(key.trim(), source);
  const signData = (data: TypedData): Promise<string> => account.signTypedData(data as never);
  return {
    address: account.address.toLowerCase(),
    signData,
    header: async (request, { origin, domain }, now) => {
      const nonce = `0x${randomBytes(32).toString('hex')}`;
      const expiresAt = Math.floor(now / SECOND_MS) + WALLET_AHEAD_MAX_S / 2;
      const claim = { origin, nonce, expires_at: expiresAt };
      const signature = await signData(walletRequest(request, claim, domain));
      const header = { address: account.address, ...claim, signature };
      return Buffer.from(JSON.stringify(header)).toString('base64url');
    },
  };
}

/** What the library says of a bad key is kept out of the error, should it name the key. */
function accountOf(text: string, source: string): ReturnType<typeof privateKeyToAccount> {
  try {
    if (KEY.test(text)) {
      return privateKeyToAccount((text.startsWith('0x') ? text : `0x${text}`) as `0x${string}`);
    }
  } catch {
    // Told below without the key.
  }
  throw new AppError('CONFIG_INVALID', {
    message: 'The wallet has no readable key: 64 hex digits are needed.',
    data: { source },
  });
}
