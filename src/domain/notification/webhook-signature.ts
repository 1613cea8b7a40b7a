import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/** Maximum age of a delivery at verification, in seconds. */
export const SIGNATURE_AGE_S = 300;

const HEADER = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;
const text = new TextEncoder();

/**
 * Creates the `stoa-signature` header: the time in seconds, and the HMAC-SHA256 of time, a dot and
 * the body under the webhook's secret.
 */
export function signDelivery(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${computeMac(secret, seconds, body)}`;
}

/** Checks whether a header is a recent signature of a body. */
export function isValidDelivery(
  delivery: { readonly secret: string; readonly header: string; readonly body: string },
  nowSeconds: number,
): boolean {
  const [, written = '', mac = ''] = HEADER.exec(delivery.header) ?? [];
  const seconds = Number(written);
  if (mac === '' || Math.abs(nowSeconds - seconds) > SIGNATURE_AGE_S) return false;
  return isEqualConstantTime(mac, computeMac(delivery.secret, seconds, delivery.body));
}

function computeMac(secret: string, seconds: number, body: string): string {
  return bytesToHex(hmac(sha256, text.encode(secret), text.encode(`${seconds}.${body}`)));
}

/** Compares in constant time to prevent timing attacks. */
function isEqualConstantTime(left: string, right: string): boolean {
  let different = left.length ^ right.length;
  for (let at = 0; at < left.length; at += 1) {
    different |= left.charCodeAt(at) ^ right.charCodeAt(at);
  }
  return different === 0;
}
