import { PAYMENT_META, PAYMENT_SIGNATURE_HEADER } from '../../../domain/payment/payment.ts';
import type { PresentedPayment } from '../../../domain/tool/tool.ts';
import type { HttpRequest } from '../../http/host.ts';

const LEGACY_HEADER = 'x-payment';
const NONE: readonly PresentedPayment[] = [];

/** The payments in the head of a request. */
export interface HeadPayments {
  readonly payments: readonly PresentedPayment[];
  readonly hasLegacyPayment: boolean;
}

const NOTHING: HeadPayments = { payments: NONE, hasLegacyPayment: false };

/** Collects every payment header, including repeated ones, in one pass. */
export function readHeadPayments(request: HttpRequest): HeadPayments {
  const { headers } = request;
  let found: PresentedPayment[] | undefined;
  let hasLegacyPayment = false;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at];
    if (name === LEGACY_HEADER) hasLegacyPayment = true;
    if (name !== PAYMENT_SIGNATURE_HEADER) continue;
    found ??= [];
    // A proxy may have joined repeated headers with commas, which base64 does not contain.
    for (const value of (headers[at + 1] ?? '').split(',')) {
      found.push({ carrier: 'header', value: value.trim() });
    }
  }
  if (found === undefined && !hasLegacyPayment) return NOTHING;
  // With a payment of the supported version, the legacy header is irrelevant.
  return { payments: found ?? NONE, hasLegacyPayment: hasLegacyPayment && found === undefined };
}

/** Adds the payment in a call's `_meta`. */
export function addMetaPayment(
  head: readonly PresentedPayment[],
  meta: Readonly<Record<string, unknown>> | undefined,
): readonly PresentedPayment[] {
  const value = meta?.[PAYMENT_META];
  return value === undefined ? head : [...head, { carrier: 'meta', value }];
}
