import type { JsonObject } from '../common/json.ts';
import type { DataAnswer } from './envelope.ts';

/** Kind of the signed statement for each answer. */
export const ANSWER_STATEMENT_KIND = 'data_answer';

/** Fields that identify the call of an answer. */
export interface AnswerCall {
  readonly tool: string;
  readonly request_id: string;
  readonly generated_at: string;
  readonly completeness: string;
}

/** Returns the signed payload of an answer: its call, result hash and source digests. */
export function createSignedPayload(
  { tool, request_id, generated_at, completeness }: AnswerCall,
  { sources }: Pick<DataAnswer, 'sources'>,
  resultSha256: string,
): JsonObject {
  return {
    tool,
    request_id,
    generated_at,
    completeness,
    result_sha256: resultSha256,
    sources: sources.map(({ url, retrieved_at, bytes, sha256 }) => ({
      url,
      retrieved_at,
      bytes,
      sha256,
    })),
  };
}
