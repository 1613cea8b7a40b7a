import type { Services } from '../../actors/common/services.ts';
import { invariant } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { toJson } from '../../domain/common/json.ts';
import { joinResponse } from '../../domain/common/readable.ts';
import { toIsoTime } from '../../domain/common/time.ts';
import type { DataAnswer } from '../../domain/data/envelope.ts';
import {
  ANSWER_STATEMENT_KIND,
  assessCompleteness,
  checkAnswer,
  createSignedPayload,
  hashAnswer,
} from '../../domain/data/envelope.ts';
import { toStatementRef } from '../../domain/proof/refs.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** An answer with its tool and its readable text. */
export interface ReadableAnswer extends DataAnswer {
  readonly tool: string;
  /** First line of the text: the answer in one sentence. */
  readonly headline: string;
  readonly lines?: readonly string[];
  /** Untrusted multi-line texts, each between its own delimiter lines. */
  readonly blocks?: readonly string[];
}

/**
 * Puts an answer into the envelope and signs its hash. An answer without data becomes an error
 * result, which is neither signed nor charged.
 *
 * @throws {AppError} `INVARIANT` for an answer that violates the rules of the envelope.
 */
export function createDataResult(
  { clock, trust }: Pick<Services, 'clock' | 'trust'>,
  { paymentId }: Pick<ToolContext, 'paymentId'>,
  readable: ReadableAnswer,
): ToolResult {
  invariant(paymentId !== undefined, 'a signed answer needs a payment');
  const { tool, headline, lines = [], blocks = [], ...answer } = readable;
  checkAnswer(answer);
  const completeness = assessCompleteness(answer);
  const request = `req_${sha256Hex(`stoa request v1:${paymentId}`).slice(0, 32)}`;
  const at = clock.now();
  const shell = { tool, request_id: request, generated_at: toIsoTime(at), completeness };
  if (completeness === 'none') {
    const words = [headline, ...faultLines(answer), ...lines, 'You are not charged.'];
    return {
      content: [{ type: 'text', text: joinResponse(words, blocks) }],
      structuredContent: toJson({ ...shell, ...answer, evidence: null }),
      isError: true,
    };
  }
  const result = hashAnswer(answer);
  const statement = trust.signStatement({
    kind: ANSWER_STATEMENT_KIND,
    payload: createSignedPayload(shell, answer, result),
    issuedAt: at,
  });
  const ref = toStatementRef(paymentId);
  const records = `/v1/proofs/records?ref=${ref}`;
  const evidence = { result_sha256: result, proof_ref: ref, records };
  const proof = `Signed by ${statement.signature.signer}; proof: ${records}`;
  const text = joinResponse([headline, ...lines, ...faultLines(answer), proof], blocks);
  return {
    content: [{ type: 'text', text }],
    structuredContent: toJson({ ...shell, ...answer, evidence, statement }),
  };
}

function faultLines({ faults }: DataAnswer): readonly string[] {
  return faults.map(({ upstream, code, detail }) => `${upstream}: ${code}. ${detail}`);
}
