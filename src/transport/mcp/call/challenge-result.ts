import { formatUsd } from '../../../domain/common/money.ts';
import { toReadableLine } from '../../../domain/common/readable.ts';
import type { PaymentRequired } from '../../../domain/payment/payment.ts';
import type { ToolResult } from '../../../domain/tool/tool-result.ts';

/**
 * Builds the result that contains a challenge: one sentence for a model, then the JSON. `content`
 * comes first, because some clients show only the start of a raw body.
 */
export function challengeResult(required: PaymentRequired): ToolResult {
  const json = JSON.stringify(required);
  return {
    content: [
      { type: 'text', text: describeChallenge(required) },
      { type: 'text', text: maskLoginHints(json) },
    ],
    structuredContent: JSON.parse(json),
    isError: true,
  };
}

/** Longest sentence about a challenge, in characters. */
const SENTENCE_CHARS_MAX = 400;
/** The code before the message of an error in a challenge. */
const CODED = /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+): (.+)$/s;

function describeChallenge(required: PaymentRequired): string {
  const { error, accepts } = required;
  const [, prefix, message = error] = CODED.exec(error) ?? [];
  const code = typeof required['code'] === 'string' ? required['code'] : prefix;
  if (code === 'PAYMENT_PENDING') {
    return 'Your payment is still being settled: do not pay again; repeat this call with it.';
  }
  const isUnpaid = code === undefined ? /\brequired\b/i.test(error) : code === 'PAYMENT_REQUIRED';
  const [offer] = accepts;
  if (isUnpaid && offer !== undefined) {
    const price = formatUsd(BigInt(offer.amount));
    return (
      `This call costs $${price} and you were not charged: to pay, repeat it with a signed x402 ` +
      'payment in `_meta["x402/payment"]`, or connect through `stoa connect`.'
    );
  }
  const reason = code === undefined ? message : `Your payment was refused (${code}): ${message}`;
  return toReadableLine(reason, SENTENCE_CHARS_MAX);
}

/** Clients that find one of these in the text of an error ask their user to log in. */
const LOGIN_HINTS = /401|403|unauthorized|unauthenticated|forbidden|invalid_token/gi;
const JSON_STRING = /"(?:[^"\\]|\\.)*"?/g;
/** Which character of a hint is escaped. A digit may end an escape, so the last one is. */
const MASKED_AT: Readonly<Record<string, number>> = { '4': 2, u: 2, f: 6, i: 2 };

/**
 * Escapes one character of each login hint in the strings of a JSON text, such as the `401` in a
 * hexadecimal number. The text parses to the same value.
 */
export function maskLoginHints(json: string): string {
  return json.replace(JSON_STRING, (text) => text.replace(LOGIN_HINTS, maskHint));
}

function maskHint(hint: string): string {
  const at = MASKED_AT[hint.charAt(0).toLowerCase()] ?? 0;
  const escaped = hint.charCodeAt(at).toString(16).padStart(4, '0');
  return `${hint.slice(0, at)}\\u${escaped}${hint.slice(at + 1)}`;
}
