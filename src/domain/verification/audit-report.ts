import { z } from 'zod';
import {
  AUDIT_STATEMENT,
  AuditReport,
  countConfirmed,
  countTrials,
  reportRoot,
} from '../audit/report.ts';
import { hashJson } from '../common/hash.ts';
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
  if (!isResistanceCounted(report)) {
    return no('the resistance to injections is not that of the trials');
  }
  return { ...verdict, report };
}

/** The corpus itself may be of another version than the one that is known here. */
function isResistanceCounted({ injection, probes }: AuditReport): boolean {
  if (injection === undefined) return true;
  const { corpus_version, corpus_sha256 } = injection;
  const counted = { ...countTrials(probes), corpus_version, corpus_sha256 };
  return hashJson(counted) === hashJson(injection);
}

function no(reason: string): AuditVerdict {
  return { isValid: false, reason };
}
