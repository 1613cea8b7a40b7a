import { isObject } from '../common/json.ts';
import {
  ANSWER_STATEMENT_KIND,
  createSignedPayload,
  type DataAnswer,
  hashAnswer,
} from '../data/envelope.ts';
import { type AnyAnswer, parseReport } from '../report/page/parse-report.ts';
import { invalidVerdict } from './invalid-verdict.ts';
import { type StatementCheck, verifyStatement } from './statement.ts';

/** Verdict on a data answer. */
export type AnswerVerdict =
  | {
      readonly isValid: true;
      readonly tool: string;
      readonly requestId: string;
      readonly resultSha256: string;
      readonly sources: number;
      readonly issuedAt: string;
      readonly signer: string;
    }
  | { readonly isValid: false; readonly reason: string };

/** Checks whether a value is the answer of a data tool, or a report or tool result with one. */
export function isDataAnswerFile(value: unknown): boolean {
  // A statement with its payload is verified as a statement.
  if (isObject(value) && 'payload' in value) return false;
  try {
    return parseReport(value).answer !== null;
  } catch {
    return false;
  }
}

/**
 * Verifies the answer of a data tool offline: the hash of its data, sources, coverage and faults,
 * and the signature over hash and sources. It proves what the signer stated, not that it is true.
 */
export function verifyDataAnswer(value: unknown, check: StatementCheck): AnswerVerdict {
  const answer = findAnswer(value);
  if (answer === null) return invalidVerdict('the file contains no answer');
  const { evidence, statement } = answer.parsed;
  if (evidence === null) return invalidVerdict('an answer without data is not signed');
  const resultSha256 = hashAnswer(answer.raw);
  if (resultSha256 !== evidence.result_sha256) {
    return invalidVerdict('the hash of the answer differs');
  }
  const payload = createSignedPayload(answer.parsed, answer.parsed, resultSha256);
  const verdict = verifyStatement({ payload, statement }, check);
  if (!verdict.isValid) return verdict;
  if (verdict.kind !== ANSWER_STATEMENT_KIND) {
    return invalidVerdict(`it is signed as ${verdict.kind}`);
  }
  const { issuedAt, signer } = verdict;
  const { tool, request_id: requestId, sources } = answer.parsed;
  return {
    isValid: true,
    tool,
    requestId,
    resultSha256,
    issuedAt,
    signer,
    sources: sources.length,
  };
}

/** A parsed answer and its raw form in the file, which the hash covers. */
interface AnswerWithSource {
  readonly parsed: AnyAnswer;
  readonly raw: DataAnswer;
}

function findAnswer(value: unknown): AnswerWithSource | null {
  try {
    const { answer, job } = parseReport(value);
    if (answer === null) return null;
    const state = readMember(value, 'structuredContent') ?? value;
    const raw = job === null ? state : readMember(state, 'report');
    return { parsed: answer, raw: raw as DataAnswer };
  } catch {
    return null;
  }
}

function readMember(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
