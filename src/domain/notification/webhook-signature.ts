import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const text = new TextEncoder();

/**
 * Creates the `stoa-signature` header: the time in seconds, and the HMAC-SHA256 of time, a dot and
 * the body under the webhook's secret.
 */
export function signDelivery(secret: string, seconds: number, body: string): string {
  const mac = hmac(sha256, text.encode(secret), text.encode(`${seconds}.${body}`));
  return `t=${seconds},v1=${bytesToHex(mac)}`;
}
