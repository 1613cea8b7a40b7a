import { z } from 'zod';
import {
  AUDIT_STATEMENT,
  AuditReport,
  computeReportRoot,
  countConfirmed,
  countTrials,
} from '../audit/report.ts';
import { hashJson } from '../common/hash.ts';
import { invalidVerdict } from './invalid-verdict.ts';
import { type StatementCheck, type StatementVerdict, verifyStatement } from './statement.ts';

const AuditReportFile = z.looseObject({
  payload: z.looseObject({ kind: z.literal('ProofOfAuditReport') }),
  statement: z.looseObject({ kind: z.literal(AUDIT_STATEMENT) }),
});

/** Verdict on an audit report. */
export type AuditVerdict =
  | (Extract<StatementVerdict, { readonly isValid: true }> & { readonly report: AuditReport })
  | Extract<StatementVerdict, { readonly isValid: false }>;

/** Checks whether a value claims to be a signed audit report. */
export function isAuditReportFile(value: unknown): boolean {
  return AuditReportFile.safeParse(value).success;
}

/**
 * Verifies an audit report offline: signature, schema, Merkle root over findings, categories and
 * probes, and counts. A valid report proves what the signer reported.
 */
export function verifyAuditReport(value: unknown, check: StatementCheck): AuditVerdict {
  const verdict = verifyStatement(value, check);
  if (!verdict.isValid) return verdict;
  const parsed = AuditReport.safeParse(verdict.payload);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return invalidVerdict(
      `it is not an audit report: "${issue?.path.join('.')}": ${issue?.message}`,
    );
  }
  const report = parsed.data;
  if (computeReportRoot(report) !== report.root) {
    return invalidVerdict('the Merkle root does not match the findings, categories and probes');
  }
  const counts = countConfirmed(report.findings);
  const isCounted = Object.entries(counts).every(
    ([severity, count]) => report.confirmed[severity as keyof typeof counts] === count,
  );
  if (!isCounted) return invalidVerdict('the counts do not match the findings');
  if (!matchesTrials(report)) {
    return invalidVerdict('the injection resistance does not match the trials');
  }
  return { ...verdict, report };
}

/** The report may use another corpus version than this program. */
function matchesTrials({ injection, probes }: AuditReport): boolean {
  if (injection === undefined) return true;
  const { corpus_version, corpus_sha256 } = injection;
  const counted = { ...countTrials(probes), corpus_version, corpus_sha256 };
  return hashJson(counted) === hashJson(injection);
}
