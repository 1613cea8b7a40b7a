import { z } from 'zod';
import { MicroUsdText } from '../../domain/common/money.ts';
import { Authorization, PaymentRequirements } from '../../domain/payment/payment.ts';

/** What every row of the ledger says. */
const Facts = z.object({
  /** RFC 3339, UTC. */
  time: z.iso.datetime(),
  tool: z.string(),
  amount: MicroUsdText,
  /** Origin of the server that is paid. */
  server: z.string(),
  payTo: z.string(),
  /** Names the payment: the nonce of its authorization. */
  nonce: z.string(),
  /** Transaction that settled it. */
  tx: z.string().nullable(),
});

/** First row of a payment, on disk before its signature is made. */
export const ReservedRow = Facts.extend({
  outcome: z.literal('reserved'),
  /** Hash of server, tool, and the arguments or what the server calls the work. */
  call: z.string(),
  /** Hash of server, tool and arguments, where `call` stands for more calls than these. */
  asked: z.string().optional(),
  /** A person agreed to go above the caps. */
  approved: z.boolean(),
  caps: z.object({
    perCall: MicroUsdText,
    perDay: MicroUsdText,
    perTool: MicroUsdText.nullable(),
  }),
  /** What was signed, without the signature: the key makes the same one again. */
  authorization: Authorization,
  accepted: PaymentRequirements,
});
/** See {@link ReservedRow}. */
export type ReservedRow = z.infer<typeof ReservedRow>;

/** Later row of a payment: what became of it. */
export const OutcomeRow = Facts.extend({
  /**
   * `settled`: on chain. `refused`: the server says that it charged nothing. `doubtful`: the server
   * answered with a fault of its own. `released`: the authorization ran out unused, by the chain.
   */
  outcome: z.enum(['settled', 'refused', 'doubtful', 'released']),
  /** Error code of the server, on `refused` and `doubtful`. */
  code: z.string().nullable(),
  /** What the server gave or will give back, on `settled`. Caps do not get it back. */
  refund: MicroUsdText.nullable(),
});
/** See {@link OutcomeRow}. */
export type OutcomeRow = z.infer<typeof OutcomeRow>;

/** One line of the ledger. */
export type LedgerRow = ReservedRow | OutcomeRow;

/** Reads a line; `undefined` for one that is torn or foreign. */
export function readRow(line: string): LedgerRow | undefined {
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
