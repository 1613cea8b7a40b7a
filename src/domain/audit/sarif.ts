import type { JsonObject } from '../common/json.ts';
import { ASI_CATEGORIES, type Severity } from './records.ts';
import type { AuditReport, ReportFinding } from './report.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** SARIF levels, and the security scores by which code hosts sort. */
const LEVELS: Readonly<Record<Severity, { readonly level: string; readonly score: string }>> = {
  critical: { level: 'error', score: '9.5' },
  high: { level: 'error', score: '8.0' },
  medium: { level: 'warning', score: '5.5' },
  low: { level: 'note', score: '3.0' },
  info: { level: 'note', score: '0.0' },
};

/**
 * Converts a report to SARIF 2.1.0. Unreproduced findings have kind `review`, never `fail`; refuted
 * findings are omitted.
 *
 * @param toolVersion - Version of this program.
 */
export function toSarif(report: AuditReport, toolVersion: string): JsonObject {
  const reportedFindings = report.findings.filter(({ status }) => status !== 'refuted');
  const rules = toSarifRules(reportedFindings);
  const ids = rules.map(({ id }) => id);
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Stoa audit', semanticVersion: toolVersion, rules } },
        automationDetails: { id: `${report.plan}-audit/${report.audit_id}` },
        invocations: [
          {
            executionSuccessful: report.outcome === 'complete',
            startTimeUtc: report.begun_at,
            endTimeUtc: report.ended_at,
            ...(report.reason === null ? {} : { exitCodeDescription: report.reason }),
          },
        ],
        properties: {
          leftBehind: report.left_behind ?? '',
          auditId: report.audit_id,
          outcome: report.outcome,
          root: report.root,
          probeSetVersion: report.probe_set_version,
          verdicts: Object.fromEntries(
            report.categories.map(({ category, verdict }) => [category, verdict]),
          ),
        },
        results: reportedFindings.map((finding) =>
          toSarifResult(report, finding, ids.indexOf(finding.probe_id)),
        ),
      },
    ],
  };
}

function toSarifRules(findings: readonly ReportFinding[]) {
  const byId = new Map(findings.map((finding) => [finding.probe_id, finding]));
  return [...byId.values()].map(({ probe_id: id, category, severity, remediation }) => ({
    id,
    name: id,
    shortDescription: { text: `${category} ${ASI_CATEGORIES[category]}` },
    help: { text: remediation },
    defaultConfiguration: { level: LEVELS[severity].level },
    properties: { 'security-severity': LEVELS[severity].score, tags: ['security', category] },
  }));
}

function toSarifResult({ target }: AuditReport, finding: ReportFinding, ruleIndex: number) {
  const isConfirmed = finding.status === 'confirmed';
  const { tool, probe_id: ruleId, title, severity, status, finding_id } = finding;
  const uri = 'url' in target.address ? target.address.url : target.origin;
  return {
    ruleId,
    ruleIndex,
    // A finding that was not reproduced needs a human review.
    ...(isConfirmed
      ? { kind: 'fail', level: LEVELS[severity].level }
      : { kind: 'review', level: 'none' }),
    message: { text: tool === null ? title : `${title} (tool ${tool})` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri } },
        ...(tool === null ? {} : { logicalLocations: [{ name: tool, kind: 'function' }] }),
      },
    ],
    partialFingerprints: { 'findingId/v1': finding_id },
    properties: { status, reproducedBy: finding.reproduced_by, evidence: finding.evidence.sha256 },
  };
}
