import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import type { SignedRequest, WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { WalletNonces } from '../../domain/wallet/wallet-nonces.ts';
import {
  buildWalletDomain,
  buildWalletRequest,
  computeRequestDigest,
  parseWalletHeader,
  WALLET_AHEAD_MAX_S,
  WALLET_HEADER,
  WALLET_HEADER_FORM,
  WALLET_REQUEST_TYPE,
  type WalletClaim,
  type WalletDomain,
} from '../../domain/wallet/wallet-request.ts';
import { isWrappedSignature } from '../../domain/wallet/wrapped-signature.ts';
import type { Services } from '../common/services.ts';
import { foreignOriginError } from './foreign-origin-error.ts';

/** Number of hex digits of the request digest in the call key. */
const KEY_DIGITS = 16;

type Ports = Pick<Services, 'origins'> & {
  readonly clock: Pick<Clock, 'now'>;
  readonly trust: Pick<TrustChain, 'isSignedBy'>;
  readonly domain: WalletDomain;
  readonly nonces: WalletNonces;
};

/**
 * Authenticates the wallet that signed a request. A nonce belongs to the first request that used
 * it. The same request again is the same call, even if it now carries a payment.
 */
export function createWalletAuth(parts: Ports): WalletAuth {
  return {
    prove: async (request) => {
      const { header, src } = request;
      if (header === undefined) throw walletRequiredError(parts);
      const claim = parseWalletHeader(header);
      const now = parts.clock.now();
      assertTime(claim, now);
      const origin = requireOwnOrigin(claim, parts);
      await assertSigned(parts, { ...claim, origin }, request);
      const key = await bindNonce(parts.nonces, { claim, request, now });
      const wallet = claim.address.toLowerCase();
      return { wallet, key, ...(src === undefined ? {} : { src }) } satisfies WalletCall;
    },
  };
}

function walletRequiredError({ domain, origins }: Ports): AppError {
  return new AppError('WALLET_REQUIRED', {
    message: `The request has no ${WALLET_HEADER} header with a wallet signature.`,
    data: {
      received: null,
      allowed: {
        header: WALLET_HEADER,
        value: WALLET_HEADER_FORM,
        origin: [...origins()],
        sign: {
          domain: buildWalletDomain(domain),
          types: { WalletRequest: WALLET_REQUEST_TYPE },
          primaryType: 'WalletRequest',
        },
      },
    },
  });
}

function assertTime({ expires_at: expiresAt }: WalletClaim, now: number): void {
  const nowS = Math.floor(now / SECOND_MS);
  const isOver = expiresAt * SECOND_MS <= now;
  if (!isOver && expiresAt <= nowS + WALLET_AHEAD_MAX_S) return;
  throw new AppError('WALLET_EXPIRED', {
    message: isOver
      ? 'The signed request has expired.'
      : `The signed request expires more than ${WALLET_AHEAD_MAX_S} s from now.`,
    data: { received: expiresAt, allowed: { after: nowS, to: nowS + WALLET_AHEAD_MAX_S } },
  });
}

/** A signature for another origin, or for none, could be replayed by another server. */
function requireOwnOrigin({ origin }: WalletClaim, { domain, origins }: Ports): string {
  const own = origins();
  if (origin !== undefined && own.includes(origin)) return origin;
  throw foreignOriginError(origin, own, {
    domain: buildWalletDomain(domain),
    types: { WalletRequest: WALLET_REQUEST_TYPE },
    primaryType: 'WalletRequest',
  });
}

async function assertSigned(
  { trust, domain }: Ports,
  claim: WalletClaim & { readonly origin: string },
  request: SignedRequest,
): Promise<void> {
  const signed = buildWalletRequest(request, claim, domain);
  if (await trust.isSignedBy(claim.address.toLowerCase(), signed, claim.signature)) return;
  if (isWrappedSignature(claim.signature)) {
    throw new AppError('WALLET_FORGED', {
      message:
        'The ERC-6492 signature is not accepted by a wallet at this address. Deploy the ' +
        'wallet and send its own signature (ERC-1271), without the wrapper.',
      data: {
        received: { address: claim.address, form: 'ERC-6492' },
        allowed: ['key', 'ERC-1271'],
      },
    });
  }
  throw new AppError('WALLET_FORGED', {
    message:
      'The signature does not match this wallet, origin, method, path, body, nonce, and expiry.',
    data: { received: { address: claim.address }, allowed: { signed: { ...signed } } },
  });
}

async function bindNonce(
  nonces: WalletNonces,
  { claim, request, now }: { claim: WalletClaim; request: SignedRequest; now: number },
): Promise<string> {
  const digest = computeRequestDigest(request);
  const wallet = claim.address.toLowerCase();
  const nonce = claim.nonce.toLowerCase();
  const expiresAt = claim.expires_at * SECOND_MS;
  const bound = await nonces.bind({ wallet, nonce, digest, expiresAt }, now);
  if (bound === digest) return `${wallet}:${nonce}:${digest.slice(0, KEY_DIGITS)}`;
  throw new AppError('WALLET_NONCE_USED', {
    data: { received: { wallet, nonce }, allowed: 'a new nonce for each request' },
  });
}
