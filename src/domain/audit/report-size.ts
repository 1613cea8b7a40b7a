import { cutText } from './evidence.ts';
import type { ReportFinding } from './report.ts';

/** Bytes of all findings of one report; with all else it stays below what can be kept. */
export const FINDINGS_BYTES_MAX = 4 * 1_048_576;
/** Characters that each excerpt keeps, one try after the other. */
const EXCERPTS = [1_000, 300, 50, 0] as const;

/**
 * Findings as a report can hold them: where they take too much, excerpts are cut, of all alike. The
 * hashes beside them are over the whole.
 */
export function fittedFindings(findings: readonly ReportFinding[]): ReportFinding[] {
  let fitted = [...findings];
  for (const charsMax of EXCERPTS) {
    if (bytesOf(fitted) <= FINDINGS_BYTES_MAX) break;
    fitted = findings.map((one) => ({
      ...one,
      evidence: cut(one.evidence, charsMax),
      control: one.control === null ? null : cut(one.control, charsMax),
      replay: one.replay === null ? null : cut(one.replay, charsMax),
    }));
  }
  return fitted;
}

function cut(exchange: ReportFinding['evidence'], charsMax: number): ReportFinding['evidence'] {
  const { request, response, sha256 } = exchange;
  return { request: cutText(request, charsMax), response: cutText(response, charsMax), sha256 };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
