import { z } from 'zod';
import { MicroUsdText } from '../../domain/common/money.ts';
import { Authorization, PaymentRequirements } from '../../domain/payment/payment.ts';

/** Fields of every ledger row. */
const SharedFields = z.object({
  /** RFC 3339, UTC. */
  time: z.iso.datetime(),
  tool: z.string(),
  amount: MicroUsdText,
  /** Origin of the paid server. */
  server: z.string(),
  payTo: z.string(),
  /** Identifies the payment: the nonce of its authorization. */
  nonce: z.string(),
  /** Hash of the settling transaction. */
  tx: z.string().nullable(),
});

/** First row of a payment, on disk before the payment is signed. */
export const ReservedRow = SharedFields.extend({
  outcome: z.literal('reserved'),
  /** Hash of server, tool, and either the arguments or the server's name for the work. */
  call: z.string(),
  /** Hash of server, tool and arguments, if `call` hashes the server's name for the work. */
  asked: z.string().optional(),
  /** True if a person approved the payment beyond the caps. */
  approved: z.boolean(),
  caps: z.object({
    perCall: MicroUsdText,
    perDay: MicroUsdText,
    perTool: MicroUsdText.nullable(),
  }),
  /** The signed fields without the signature: signing them again gives the same signature. */
  authorization: Authorization,
  accepted: PaymentRequirements,
});
/** A payment that has been reserved. */
export type ReservedRow = z.infer<typeof ReservedRow>;

/** Later row of a payment, with its outcome. */
export const OutcomeRow = SharedFields.extend({
  /**
   * `settled`: on chain. `refused`: the server says that it did not charge. `doubtful`: the server
   * failed. `released`: the authorization expired unused according to the chain.
   */
  outcome: z.enum(['settled', 'refused', 'doubtful', 'released']),
  /** Error code of the server, on `refused` and `doubtful`. */
  code: z.string().nullable(),
  /** Refund that the server announced on `settled`. It does not restore the caps. */
  refund: MicroUsdText.nullable(),
});
/** The recorded outcome of a payment. */
export type OutcomeRow = z.infer<typeof OutcomeRow>;

/** One line of the ledger. */
export type LedgerRow = ReservedRow | OutcomeRow;

/** Parses a line; returns `undefined` if it is torn or not a ledger row. */
export function parseRow(line: string): LedgerRow | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const reserved = ReservedRow.safeParse(value);
  if (reserved.success) return reserved.data;
  const outcome = OutcomeRow.safeParse(value);
  return outcome.success ? outcome.data : undefined;
}
