import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { AppError } from '../common/error.ts';
import { hashJson } from '../common/hash.ts';
import type { TypedData } from './typed-data.ts';

/** Header with the wallet signature of a request: base64url of the JSON. */
export const WALLET_HEADER = 'stoa-wallet';
/** Maximum expiry of a signed request from now, in seconds. */
export const WALLET_AHEAD_MAX_S = 300;
/** Maximum length of the header, in characters. Signatures of contract wallets may be long. */
export const WALLET_HEADER_CHARS_MAX = 8_192;

const ORIGIN_CHARS_MAX = 300;
const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;

/** Description of the header for error messages. */
export const WALLET_HEADER_FORM =
  'base64url of {"address","origin","nonce","expires_at","signature"}';

/** Content of the header. */
export const WalletClaim = z.strictObject({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  /** 32 bytes; a new one for each request. */
  nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  /** Unix seconds. */
  expires_at: z.int().positive(),
  /** The signed origin, such as `https://stoa.example`; absent from old clients. */
  origin: z.string().max(ORIGIN_CHARS_MAX).optional(),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){64,2048}$/),
});
/** Content of the header. */
export type WalletClaim = z.infer<typeof WalletClaim>;

/** The chain and contract that bind signed requests to one server. */
export interface WalletDomain {
  readonly chainId: number;
  /** The escrow contract, or the token if there is none. */
  readonly verifyingContract: string;
}

/** The signed part of a request. */
export interface SignedPart {
  /** In upper case. */
  readonly method: string;
  /** With its query, as received. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** The fields that a wallet signs, in order. */
export const WALLET_REQUEST_TYPE = [
  { name: 'origin', type: 'string' },
  { name: 'method', type: 'string' },
  { name: 'path', type: 'string' },
  { name: 'bodyHash', type: 'bytes32' },
  { name: 'nonce', type: 'bytes32' },
  { name: 'expiresAt', type: 'uint256' },
] as const;

/** Returns the EIP-712 domain of signed requests. */
export function buildWalletDomain({
  chainId,
  verifyingContract,
}: WalletDomain): TypedData['domain'] {
  return { name: 'Stoa Wallet Request', version: '2', chainId, verifyingContract };
}

/** Signed terms of a request, besides the request itself. */
export type RequestTerms = Pick<WalletClaim, 'nonce' | 'expires_at'> & { readonly origin: string };

/** Returns the typed data that a wallet signs for a request. It is valid for one origin only. */
export function buildWalletRequest(
  { method, path, body }: SignedPart,
  { origin, nonce, expires_at: expiresAt }: RequestTerms,
  domain: WalletDomain,
): TypedData {
  return {
    domain: buildWalletDomain(domain),
    types: { WalletRequest: WALLET_REQUEST_TYPE },
    primaryType: 'WalletRequest',
    message: { origin, method, path, bodyHash: hashBody(body), nonce, expiresAt },
  };
}

/** Returns the SHA-256 of the raw body, possibly empty, as 32 bytes in hex. */
export function hashBody(body: Uint8Array): string {
  return `0x${bytesToHex(sha256(body))}`;
}

/** Returns a digest that distinguishes requests with the same nonce, in hex. */
export function computeRequestDigest({ method, path, body }: SignedPart): string {
  return hashJson([method, path, hashBody(body)]);
}

/**
 * Parses the header.
 *
 * @throws {AppError} `INPUT_INVALID` with the path of the invalid member.
 */
export function parseWalletHeader(header: string): WalletClaim {
  if (header.length > WALLET_HEADER_CHARS_MAX) {
    throw invalidHeader(`it has more than ${WALLET_HEADER_CHARS_MAX} characters`, header);
  }
  const parsed = WalletClaim.safeParse(decode(header));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw invalidHeader(
    path === '' ? 'it is not base64url of this JSON' : `at "${path}"`,
    header,
    path,
  );
}

function invalidHeader(why: string, header: string, path = ''): AppError {
  return new AppError('INPUT_INVALID', {
    message: `The header ${WALLET_HEADER} is invalid: ${why}.`,
    data: {
      received: { header: WALLET_HEADER, characters: header.length, path },
      allowed: WALLET_HEADER_FORM,
    },
  });
}

function decode(header: string): unknown {
  if (!BASE64URL.test(header)) return undefined;
  try {
    const binary = atob(header.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
