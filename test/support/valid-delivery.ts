import { createHmac } from 'node:crypto';

/** Maximum age of a delivery at verification, in seconds. */
const SIGNATURE_AGE_S = 300;

/** Checks whether a header is a recent signature of a body, as a receiver of webhooks does. */
export function isValidDelivery(
  delivery: { readonly secret: string; readonly header: string; readonly body: string },
  nowSeconds: number,
): boolean {
  const [, seconds = '', mac = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(delivery.header) ?? [];
  if (mac === '' || Math.abs(nowSeconds - Number(seconds)) > SIGNATURE_AGE_S) return false;
  const text = `${Number(seconds)}.${delivery.body}`;
  return mac === createHmac('sha256', delivery.secret).update(text).digest('hex');
}
