import { cutText } from './evidence.ts';
import type { ReportFinding } from './report.ts';

/** Byte limit for all findings of one report, which keeps the report within the storage limit. */
export const FINDINGS_BYTES_MAX = 4 * 1_048_576;
/** Excerpt lengths to try, in order. */
const EXCERPTS = [1_000, 300, 50, 0] as const;

/**
 * Shortens all excerpts equally until the findings fit the report. The hashes still cover the full
 * texts.
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
