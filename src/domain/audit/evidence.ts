import { sha256Hex } from '../common/hash.ts';
import type { RawAnswer, RpcOutcome } from './audit-target.ts';
import type { Evidence } from './records.ts';

/** Characters of a request or an answer that evidence shows. */
export const EXCERPT_CHARS_MAX = 2_000;

/** Makes evidence of an exchange: excerpts beside a hash of the whole. */
export function evidenceOf(request: string, response: string): Evidence {
  return {
    request: excerpt(request),
    responseExcerpt: excerpt(response),
    sha256: sha256Hex(`${request}\n\n${response}`),
  };
}

/** Evidence of one JSON-RPC request. */
export function rpcEvidence(outcome: RpcOutcome): Evidence {
  return evidenceOf(outcome.sent, outcomeText(outcome));
}

/** Evidence of one raw exchange. */
export function rawEvidence(answer: RawAnswer): Evidence {
  const { sent } = answer;
  if (answer.kind !== 'answer') return evidenceOf(sent, wordless(answer));
  const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
  return evidenceOf(sent, `HTTP ${answer.status}\n${headers.join('\n')}\n\n${answer.body}`);
}

/** What came of a request, as text. */
export function outcomeText(outcome: RpcOutcome): string {
  if (outcome.kind === 'refused') return `HTTP ${outcome.status}\n\n${outcome.raw}`;
  if (outcome.kind === 'result' || outcome.kind === 'error') return outcome.raw;
  return wordless(outcome);
}

/** A text cut to what evidence shows; half a character is never left at the end. */
export function excerpt(text: string): string {
  return text.length <= EXCERPT_CHARS_MAX ? text : cutText(text, EXCERPT_CHARS_MAX - 1);
}

/** The first characters of a text; half a character is never left at the end. */
export function cutText(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\ud800-\udbff]$/, '');
}

function wordless(outcome: { kind: 'silent' | 'broken'; ms: number; reason?: string }): string {
  return outcome.kind === 'silent'
    ? `no answer in ${outcome.ms} ms`
    : `the connection broke: ${outcome.reason ?? 'unknown'}`;
}
