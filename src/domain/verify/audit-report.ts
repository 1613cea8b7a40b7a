import { z } from 'zod';
import { AUDIT_STATEMENT, AuditReport, countConfirmed, reportRoot } from '../audit/report.ts';
import { type StatementCheck, type StatementVerdict, verifyStatement } from './statement.ts';

const AuditReportFile = z.looseObject({
  payload: z.looseObject({ kind: z.literal('ProofOfAuditReport') }),
  statement: z.looseObject({ kind: z.literal(AUDIT_STATEMENT) }),
});

/** What a check of a report came to. */
export type AuditVerdict =
  | (Extract<StatementVerdict, { readonly isValid: true }> & { readonly report: AuditReport })
  | Extract<StatementVerdict, { readonly isValid: false }>;

/** Tells whether a value says that it is the signed report of an audit. */
export function isAuditReportFile(value: unknown): boolean {
  return AuditReportFile.safeParse(value).success;
}

/**
 * Checks the report of an audit without any server: the signature, the form, the Merkle root over
 * findings, categories and probes, and the counts. It shows that the signer reported this.
 */
export function verifyAuditReport(value: unknown, check: StatementCheck): AuditVerdict {
  const verdict = verifyStatement(value, check);
  if (!verdict.isValid) return verdict;
  const parsed = AuditReport.safeParse(verdict.payload);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return no(`it is no report of an audit: "${issue?.path.join('.')}": ${issue?.message}`);
  }
  const report = parsed.data;
  if (reportRoot(report) !== report.root) {
    return no('the Merkle root is not that of the findings, categories and probes');
  }
  const counts = countConfirmed(report.findings);
  const isCounted = Object.entries(counts).every(
    ([severity, count]) => report.confirmed[severity as keyof typeof counts] === count,
  );
  if (!isCounted) return no('the counts are not those of the findings');
  return { ...verdict, report };
}

function no(reason: string): AuditVerdict {
  return { isValid: false, reason };
}
