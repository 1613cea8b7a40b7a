import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(secret, header, body, nowSeconds = Date.now() / 1000) {
  const [, time, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (mac === undefined || Math.abs(nowSeconds - Number(time)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${time}.${body}`).digest();
  return timingSafeEqual(expected, Buffer.from(mac, 'hex'));
}
