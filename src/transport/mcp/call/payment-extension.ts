import { isObject } from '../../../domain/common/json.ts';
import type { PaymentRequired, SettlementResponse } from '../../../domain/payment/payment.ts';
import type { ToolService } from '../../../domain/tool/tool.ts';
import { withSettlement } from './outcome.ts';

/** The x402 binding for 2026-07-28: a challenge is a result type of its own. */
export const PAYMENT_EXTENSION = 'org.x402/payment';

/** Returns the capability of a server that sells tools; nothing for one without prices. */
export function paymentCapabilities({ tools, allTools = tools }: ToolService) {
  const isPriced = allTools.some(({ _meta: meta }) => meta?.['price'] !== undefined);
  return isPriced ? { [PAYMENT_EXTENSION]: {} } : {};
}

/** Returns whether a client declares the binding in a request. */
export function declaresPayments(capabilities: Readonly<Record<string, unknown>>): boolean {
  const { extensions } = capabilities;
  return isObject(extensions) && extensions[PAYMENT_EXTENSION] !== undefined;
}

/** Builds the result of an unpaid call for a client that declares the binding. */
export function toPaymentRequired(
  required: PaymentRequired,
  settlement: SettlementResponse | undefined,
) {
  // Without content, the validation of tool results rejects the result.
  const result = { resultType: 'payment_required', paymentRequired: required, content: [] };
  return withSettlement(result, settlement);
}
