import type { TurnOrder } from '../../domain/panel/order.ts';
import { matrixOf } from '../../domain/debate/procedures/matrix.ts';
import { procedureOf } from '../../domain/debate/procedures/procedures.ts';
import type { DebateBrief } from '../../domain/debate/records.ts';
import type { Turn } from '../../domain/panel/records.ts';
import { invariant } from '../../domain/error.ts';
import { hashJson } from '../../domain/hash.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import { NO_USAGE, turnWithAnswer } from './turn-record.ts';

/**
 * Takes a turn with a named decision procedure. It depends on the scores alone, so it says the same
 * in every phase; its confidence is the lead of its first over its second.
 */
export async function ruleTurn(
  order: TurnOrder,
  { brief, blobs }: { readonly brief: DebateBrief; readonly blobs: BlobStore },
): Promise<Turn> {
  const procedure = procedureOf(order.seat.model);
  invariant(procedure !== undefined, 'a rule seat names a procedure that exists');
  const { ranking, reason, lead } = procedure.decide(matrixOf(brief));
  const [position] = ranking;
  invariant(position !== undefined, 'a procedure ranks at least one option');
  const answer = {
    position,
    argument: reason,
    confidence: lead,
    evidenceIds: [],
    changeReason: null,
    ...(order.phase === 'vote' ? { ranking } : {}),
  };
  const facts = {
    status: 'ok',
    attempts: 1,
    usage: NO_USAGE,
    costMicroUsd: '0',
    priceSource: 'none',
    ms: 0,
    promptSha: order.briefSha,
    outputSha: hashJson({ ranking, reason, lead }),
    requestId: null,
  } as const;
  return turnWithAnswer(order, facts, { answer, blobs });
}
