import { truncateText } from './evidence.ts';
import type { ReportFinding } from './report.ts';

/** Byte limit for all findings of one report, which keeps the report within the storage limit. */
export const FINDINGS_BYTES_MAX = 4 * 1_048_576;
/** Excerpt lengths to try, in order. */
const EXCERPT_LENGTHS = [1_000, 300, 50, 0] as const;

/**
 * Shortens all excerpts equally until the findings fit the report. The hashes still cover the full
 * texts.
 */
export function fitFindings(findings: readonly ReportFinding[]): ReportFinding[] {
  let fitted = [...findings];
  for (const charsMax of EXCERPT_LENGTHS) {
    if (byteLength(fitted) <= FINDINGS_BYTES_MAX) break;
    fitted = findings.map((one) => ({
      ...one,
      evidence: truncateExchange(one.evidence, charsMax),
      control: one.control === null ? null : truncateExchange(one.control, charsMax),
      replay: one.replay === null ? null : truncateExchange(one.replay, charsMax),
    }));
  }
  return fitted;
}

function truncateExchange(
  exchange: ReportFinding['evidence'],
  charsMax: number,
): ReportFinding['evidence'] {
  const { request, response, sha256 } = exchange;
  return {
    request: truncateText(request, charsMax),
    response: truncateText(response, charsMax),
    sha256,
  };
}

function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
