// A fetch whose requests a wallet signs, for the board of a Stoa (docs/board.md).
import { createHash, randomBytes } from 'node:crypto';

const TYPES = {
  WalletRequest: [
    { name: 'origin', type: 'string' },
    { name: 'method', type: 'string' },
    { name: 'path', type: 'string' },
    { name: 'bodyHash', type: 'bytes32' },
    { name: 'nonce', type: 'bytes32' },
    { name: 'expiresAt', type: 'uint256' },
  ],
};
/** How long a signed request holds, in seconds; a server takes at most 300. */
const HOLDS_S = 240;

/**
 * Reads from a server what signed requests are meant for: its chain, and its escrow or its token.
 *
 * @param {string} baseUrl
 */
export async function walletDomain(baseUrl) {
  const { chain, token, escrow } = await (await fetch(`${baseUrl}/a2a/treasury/balances`)).json();
  return {
    name: 'Stoa Wallet Request',
    version: '2',
    chainId: Number(chain.split(':')[1]),
    verifyingContract: escrow?.address ?? token,
  };
}

/**
 * Makes a fetch for JSON that signs. A paying fetch goes inside it: a request that is repeated with
 * its payment stays the same signed request.
 *
 * @param account - Of viem: it has an address and signs typed data.
 * @param domain - See `walletDomain`.
 */
export function walletFetch(account, domain, send = fetch) {
  return async (url, { method = 'GET', json } = {}) => {
    // The address that is used, never what a server calls itself: it could name another one.
    const { origin, pathname, search } = new URL(url);
    const body = json === undefined ? undefined : JSON.stringify(json);
    const nonce = `0x${randomBytes(32).toString('hex')}`;
    const expiresAt = Math.floor(Date.now() / 1000) + HOLDS_S;
    const bodyHash = `0x${createHash('sha256')
      .update(body ?? '')
      .digest('hex')}`;
    const signature = await account.signTypedData({
      domain,
      types: TYPES,
      primaryType: 'WalletRequest',
      message: {
        origin,
        method,
        path: pathname + search,
        bodyHash,
        nonce,
        expiresAt: BigInt(expiresAt),
      },
    });
    const claim = { address: account.address, origin, nonce, expires_at: expiresAt, signature };
    const header = Buffer.from(JSON.stringify(claim)).toString('base64url');
    return send(url, {
      method,
      headers: { 'content-type': 'application/json', 'stoa-wallet': header },
      ...(body === undefined ? {} : { body }),
    });
  };
}
