// A client that pays: asks for the price, signs the authorization, and calls again with it.
import { randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { openSession, post, sessionHeaders } from '../lib/proc.mjs';

const TERMS = ['from:address', 'to:address', 'value:uint256', 'validAfter:uint256'];
const TYPES = {
  TransferWithAuthorization: [...TERMS, 'validBefore:uint256', 'nonce:bytes32'].map((term) => {
    const [name, type] = term.split(':');
    return { name, type };
  }),
};

/** Opens a session for a fresh wallet. */
export async function openBuyer(url) {
  const account = privateKeyToAccount(generatePrivateKey());
  const headers = sessionHeaders(await openSession(url));
  return {
    address: account.address,
    /** Asks for the price of a call. */
    ask: async (call) => {
      const { status, body } = await post(url, call, headers);
      const offer = JSON.parse(body).result?.structuredContent?.accepts?.[0];
      if (status !== 402 || offer === undefined) throw new Error(`no price: ${status} ${body}`);
      return offer;
    },
    sign: (offer) => sign(account, offer),
    /** Makes the call with its payment and reads the whole answer. */
    buy: (call, payment) => {
      const header = Buffer.from(JSON.stringify(payment)).toString('base64');
      return post(url, call, { ...headers, 'payment-signature': header });
    },
  };
}

async function sign(account, offer) {
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from: account.address,
    to: offer.payTo,
    value: offer.amount,
    validAfter: String(now - 600),
    validBefore: String(now + offer.maxTimeoutSeconds),
    nonce: `0x${randomBytes(32).toString('hex')}`,
  };
  const signature = await account.signTypedData({
    domain: {
      name: offer.extra.name,
      version: offer.extra.version,
      chainId: Number(offer.network.split(':')[1]),
      verifyingContract: offer.asset,
    },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  return { x402Version: 2, accepted: offer, payload: { signature, authorization } };
}
