import type { Services } from '../../actors/common/services.ts';
import { invariant } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { toJson } from '../../domain/common/json.ts';
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
import { composeResult, formatCost } from '../../domain/tool/result-text.ts';
import type { ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** An answer with its tool and its readable text. */
export interface ReadableAnswer extends DataAnswer {
  readonly tool: string;
  /** First line of the text: the answer in one sentence. */
  readonly headline: string;
  /** Second line: why. By default the first method of the answer. */
  readonly why?: string;
  /** Who decided. By default the rules of this server over the sources. */
  readonly decidedBy?: string;
  readonly lines?: readonly string[];
  /** Untrusted multi-line texts, each between its own delimiter lines. */
  readonly blocks?: readonly string[];
}

/** The call that an answer is for. */
export interface AnsweredCall extends Pick<ToolContext, 'origin' | 'paymentId' | 'price'> {
  /** Path of the page of the answer. By default its proof records. */
  readonly page?: string;
}

/**
 * Puts an answer into the envelope and signs its hash. An answer without data becomes an error
 * result, which is neither signed nor charged.
 *
 * @throws {AppError} `INVARIANT` for an answer that violates the rules of the envelope.
 */
export function createDataResult(
  { clock, trust }: Pick<Services, 'clock' | 'trust'>,
  call: AnsweredCall,
  readable: ReadableAnswer,
): ToolResult {
  const { paymentId } = call;
  invariant(paymentId !== undefined, 'a signed answer needs a payment');
  const {
    tool,
    headline: _line,
    why: _why,
    decidedBy: _by,
    lines: _lines,
    blocks: _blocks,
    ...answer
  } = readable;
  checkAnswer(answer);
  const completeness = assessCompleteness(answer);
  const request = `req_${sha256Hex(`stoa request v1:${paymentId}`).slice(0, 32)}`;
  const at = clock.now();
  const shell = { tool, request_id: request, generated_at: toIsoTime(at), completeness };
  if (completeness === 'none') {
    return {
      content: [{ type: 'text', text: composeText(readable, call) }],
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
  const proof = `signed by ${statement.signature.signer}; SHA-256 of the answer ${result}`;
  const text = composeText(readable, call, { records, proof });
  return {
    content: [{ type: 'text', text }],
    structuredContent: toJson({ ...shell, ...answer, evidence, statement }),
  };
}

/** Formats an answer; without evidence, one that is not charged. */
function composeText(
  { headline, why, decidedBy, lines = [], blocks = [], ...answer }: ReadableAnswer,
  { origin, price, page }: AnsweredCall,
  evidence?: { readonly records: string; readonly proof: string },
): string {
  const [method = 'no source answered'] = Object.values(answer.method);
  const { asked, answered } = answer.coverage;
  const [fault = 'no source answered', ...otherFaults] = faultLines(answer);
  const isCharged = evidence !== undefined;
  const see = page ?? evidence?.records;
  return composeResult({
    answer: headline,
    why: isCharged ? (why ?? method) : fault,
    decidedBy: decidedBy ?? `rules of this server; ${answered} of ${asked} asked sources answered`,
    cost: formatCost(price, isCharged),
    see,
    origin,
    details: [...lines, ...(isCharged ? faultLines(answer) : otherFaults)],
    blocks,
    proofs: evidence === undefined ? [] : [evidence.proof],
  });
}

function faultLines({ faults }: DataAnswer): readonly string[] {
  return faults.map(({ upstream, code, detail }) => `${upstream}: ${code}. ${detail}`);
}
