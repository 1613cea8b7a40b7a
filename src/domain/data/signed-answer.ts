import type { JsonObject } from '../common/json.ts';
import type { DataAnswer } from './envelope.ts';

/** Kind of the statement that is signed over each answer. */
export const ANSWER_STATEMENT_KIND = 'data_answer';

/** Members of an answer that name the call which it is the answer to. */
export interface AnswerShell {
  readonly tool: string;
  readonly request_id: string;
  readonly generated_at: string;
  readonly completeness: string;
}

/** What is signed of an answer: its call and hash, and address, time, size, hash of sources. */
export function signedOfAnswer(
  { tool, request_id, generated_at, completeness }: AnswerShell,
  { sources }: Pick<DataAnswer, 'sources'>,
  resultSha256: string,
): JsonObject {
  return {
    ...{ tool, request_id, generated_at, completeness },
    result_sha256: resultSha256,
    sources: sources.map(({ url, retrieved_at, bytes, sha256 }) => ({
      ...{ url, retrieved_at, bytes, sha256 },
    })),
  };
}
