import { sha256Hex } from '../common/hash.ts';
import type { RawResponse, RpcOutcome } from './audit-target.ts';
import type { Evidence } from './records.ts';

/** Maximum characters of a request or response shown in evidence. */
export const EXCERPT_CHARS_MAX = 2_000;

/** Creates evidence of an exchange: excerpts and a hash of the full text. */
export function createEvidence(request: string, response: string): Evidence {
  return {
    request: truncateExcerpt(request),
    responseExcerpt: truncateExcerpt(response),
    sha256: sha256Hex(`${request}\n\n${response}`),
  };
}

/** Creates evidence of one JSON-RPC request. */
export function createRpcEvidence(outcome: RpcOutcome): Evidence {
  return createEvidence(outcome.sent, formatOutcome(outcome));
}

/** Creates evidence of one raw exchange. */
export function createRawEvidence(answer: RawResponse): Evidence {
  const { sent } = answer;
  if (answer.kind !== 'answer') return createEvidence(sent, describeFailure(answer));
  const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
  return createEvidence(sent, `HTTP ${answer.status}\n${headers.join('\n')}\n\n${answer.body}`);
}

/** Formats the outcome of a request as text. */
export function formatOutcome(outcome: RpcOutcome): string {
  if (outcome.kind === 'refused') return `HTTP ${outcome.status}\n\n${outcome.raw}`;
  if (outcome.kind === 'result' || outcome.kind === 'error') return outcome.raw;
  return describeFailure(outcome);
}

/** Truncates a text to the evidence limit without splitting a surrogate pair. */
export function truncateExcerpt(text: string): string {
  return text.length <= EXCERPT_CHARS_MAX ? text : truncateText(text, EXCERPT_CHARS_MAX - 1);
}

/** Returns the first characters of a text without splitting a surrogate pair. */
export function truncateText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '');
}

function describeFailure(outcome: {
  kind: 'silent' | 'broken';
  ms: number;
  reason?: string;
}): string {
  return outcome.kind === 'silent'
    ? `no answer in ${outcome.ms} ms`
    : `the connection broke: ${outcome.reason ?? 'unknown'}`;
}
