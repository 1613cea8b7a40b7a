import { AppError } from '../../domain/common/error.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { HttpReply } from '../http/host.ts';
import { jsonReply, readCount, readExactQuery } from './replies.ts';

/** Most records in one reply. */
export const PROOF_RECORDS_MAX = 100;

const REF_CHARS_MAX = 200;

/**
 * Replies to `records?ref=…` with the matching records, oldest first, or to
 * `records?limit=…[&from=…]` with records from a position downwards.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function recordsReply(log: ProofLog, query: string): HttpReply {
  const asked = new URLSearchParams(query);
  if (!asked.has('limit')) return foundReply(log, query);
  readExactQuery(query, asked.has('from') ? ['from', 'limit'] : ['limit']);
  const { size } = log;
  const limit = readLimit(asked.get('limit') ?? '');
  const newest = Math.max(size - 1, 0);
  const from = readCount('from', asked.get('from') ?? String(newest), newest);
  const seqs = Array.from({ length: Math.min(limit, from + 1) }, (_, step) => from - step);
  const records = seqs.flatMap((seq) => log.record(seq) ?? []);
  const next = from - limit;
  return jsonReply(200, { size, records, next: next >= 0 ? next : null });
}

function readLimit(text: string): number {
  const limit = readCount('limit', text, PROOF_RECORDS_MAX);
  if (limit > 0) return limit;
  throw new AppError('INPUT_INVALID', {
    message: `\`limit\` must be a whole number from 1 to ${PROOF_RECORDS_MAX}.`,
    data: { received: text, allowed: `1 to ${PROOF_RECORDS_MAX}` },
  });
}

function foundReply(log: ProofLog, query: string): HttpReply {
  const { ref } = readExactQuery(query, ['ref']);
  if (ref.length === 0 || ref.length > REF_CHARS_MAX) {
    throw new AppError('INPUT_INVALID', {
      message: `\`ref\` must have 1 to ${REF_CHARS_MAX} characters.`,
      data: { received: ref.length, allowed: `1 to ${REF_CHARS_MAX}` },
    });
  }
  return jsonReply(200, { ref, records: log.find(ref, PROOF_RECORDS_MAX) });
}
