import { z } from 'zod';
import type { PaymentRecord } from '../../domain/payment/payment-record.ts';
import type { ProofKind } from '../../domain/proof/kinds.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import { toStatementRef } from '../../domain/proof/refs.ts';
import type { Services } from '../common/services.ts';

/** The result store, and the proof kind of each tool that issues signed statements. */
export interface StatementSources extends Pick<Services, 'blobs'> {
  readonly statementKinds: Readonly<Record<string, ProofKind>>;
}

/** The part of a tool result that holds the signed statement. */
const StatementResult = z.object({
  structuredContent: z.object({
    statement: z.object({
      kind: z.string(),
      issued_at: z.string(),
      payload_hash: z.string().regex(/^[0-9a-f]{64}$/),
      signature: z.object({ signer: z.string() }),
    }),
  }),
});

/**
 * Returns the proof of a signed statement that a paid call issued. Statements are issued only after
 * the money has moved, one per payment.
 */
export function projectStatementProofs(
  record: PaymentRecord,
  { blobs, statementKinds }: StatementSources,
): readonly NewProof[] {
  const { paymentId, payer, tool, resultSha, transaction, settledAt } = record;
  const kind = statementKinds[tool];
  if (kind === undefined || resultSha === null) return [];
  if (transaction === null || settledAt === null) return [];
  const parsed = StatementResult.safeParse(JSON.parse(blobs.get(resultSha) ?? 'null'));
  if (!parsed.success) return [];
  const { statement } = parsed.data.structuredContent;
  return [
    {
      kind,
      key: `${paymentId}:statement`,
      ref: toStatementRef(paymentId),
      subject: payer,
      payload: {
        event: 'stated',
        payment_id: paymentId,
        tool,
        statement_kind: statement.kind,
        issued_at: statement.issued_at,
        statement_hash: statement.payload_hash,
        signer: statement.signature.signer,
      },
    },
  ];
}
