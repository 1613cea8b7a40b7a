import { createECDH, createHash, createPrivateKey, type ECDH, sign } from 'node:crypto';
import type { Services } from '../../actors/common/services.ts';
import type { CardSigner } from '../../domain/agent-protocol/agent-card.ts';
import { canonicalJson } from '../../domain/common/json.ts';

const PURPOSE = 'agent card key v1';
const COORDINATE_BYTES = 32;

/**
 * Creates the signer of agent cards (ES256). Its key is derived from the capability key of the data
 * directory, so it stays the same without a file of its own.
 */
export function createCardSigner(seal: Services['seal']): CardSigner {
  const pair = deriveKeyPair(seal);
  const point = pair.getPublicKey();
  const publicKey = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 1 + COORDINATE_BYTES).toString('base64url'),
    y: point.subarray(1 + COORDINATE_BYTES).toString('base64url'),
  };
  // The key id is the thumbprint of the key (RFC 7638).
  const kid = createHash('sha256').update(canonicalJson(publicKey)).digest('base64url');
  const d = leftPad(pair.getPrivateKey()).toString('base64url');
  const key = createPrivateKey({ key: { ...publicKey, d }, format: 'jwk' });
  return {
    jwks: { keys: [{ ...publicKey, kid, alg: 'ES256', use: 'sig' }] },
    sign: (payload, jku) => {
      const header = JSON.stringify({ alg: 'ES256', typ: 'JOSE', kid, jku });
      const protectedHeader = Buffer.from(header).toString('base64url');
      const signed = `${protectedHeader}.${Buffer.from(payload).toString('base64url')}`;
      const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
      return { protected: protectedHeader, signature: signature.toString('base64url') };
    },
  };
}

/** One of 2^32 hashes is no key of this curve; then the next one is taken. */
function deriveKeyPair(seal: Services['seal']): ECDH {
  for (let attempt = 0; ; attempt += 1) {
    const pair = createECDH('prime256v1');
    try {
      pair.setPrivateKey(seal(`${PURPOSE}|${attempt}`), 'hex');
      return pair;
    } catch (thrown) {
      if (attempt > 0) throw thrown;
    }
  }
}

function leftPad(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(COORDINATE_BYTES - bytes.length), bytes]);
}
