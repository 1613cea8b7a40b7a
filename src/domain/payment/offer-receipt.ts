import { z } from 'zod';

/** Key of the x402 extension for signed offers and receipts. */
export const OFFER_RECEIPT_EXTENSION = 'offer-receipt';

const Integer = z.number().int();
/** A signed receipt of a payment. Its time is in Unix seconds. */
export const SignedReceipt = z.object({
  format: z.literal('eip712'),
  payload: z.object({
    version: Integer,
    network: z.string(),
    resourceUrl: z.string(),
    payer: z.string(),
    issuedAt: Integer,
    transaction: z.templateLiteral(['0x', z.string()]),
  }),
  signature: z.string(),
});

const SIGNED_OFFER = {
  type: 'object',
  required: ['format', 'payload', 'signature'],
  properties: {
    payload: {
      type: 'object',
      required: ['version', 'resourceUrl', 'scheme', 'network', 'asset', 'payTo', 'amount'],
    },
  },
} as const;
/** JSON Schema of the offers in a challenge. It is brief, because models read every challenge. */
export const OFFERS_SCHEMA = {
  type: 'object',
  required: ['offers'],
  properties: { offers: { type: 'array', items: SIGNED_OFFER } },
} as const;
/** JSON Schema of the receipt in a settlement. */
export const RECEIPT_SCHEMA = z.toJSONSchema(z.object({ receipt: SignedReceipt }));

/**
 * Binds the URL of a resource to one call of one tool, so that a signed offer or receipt proves
 * what was sold. The part after `#` is ignored by catalogues and never sent in a request.
 *
 * @param argsHash - Hash of the arguments.
 */
export function bindResourceUrl(url: string, tool: string, argsHash: string): string {
  return `${url}#tool=${tool}&arguments=${argsHash}`;
}
