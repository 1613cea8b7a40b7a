import { totalConfirmed } from '../../domain/audit/report.ts';
import { verifyAuditReport } from '../../domain/verification/audit-report.ts';

/** The result of a check as readable lines; the first one is the answer. */
export interface AuditVerification {
  readonly isValid: boolean;
  readonly lines: readonly string[];
}

/** Verifies a signed audit report: signature, form, Merkle root and counts. */
export async function verifyAudit(
  value: unknown,
  signer: string | undefined,
): Promise<AuditVerification> {
  // The native curve library loads only for signed files.
  const { recoverSigner } = await import('../../providers/chain/signature.ts');
  const verdict = verifyAuditReport(value, {
    recover: recoverSigner,
    ...(signer === undefined ? {} : { signer }),
  });
  if (!verdict.isValid) return { isValid: false, lines: [`no: ${verdict.reason}`] };
  const { report } = verdict;
  const { audit_id, target, findings, categories, probes, outcome } = report;
  return {
    isValid: true,
    lines: [
      `yes: audit ${audit_id} of ${target.origin} was signed by ${verdict.signer} at ` +
        verdict.issuedAt,
      `The root ${report.root} binds ${findings.length} findings, ${categories.length} verdicts ` +
        `and ${probes.length} probes; ${totalConfirmed(report.confirmed)} findings are confirmed ` +
        `(outcome ${outcome}).`,
      signer === undefined
        ? 'The signer comes from the file; compare it with the treasury, or pass it with --signer.'
        : 'The signer is the one you passed.',
      'This proves what was reported, not that it is true.',
    ],
  };
}
