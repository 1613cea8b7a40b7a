import { AUDIT_STATEMENT, AuditReport } from '../../domain/audit/report.ts';
import { toJson } from '../../domain/common/json.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type {
  AnchorInput,
  AnchorOutput,
  SealReportInput,
  WrittenReport,
} from '../../machines/audit/audit-context.ts';
import type { Effect } from '../../runtime/engine/types.ts';
import { loadStoredJson } from '../common/load-stored-json.ts';
import type { Services } from '../common/services.ts';
import { writeReport } from './write-report.ts';

/** Anchors audit reports on the chain, together with their log. */
export interface ReportAnchors {
  /**
   * Waits a limited time until the chain holds the report. Otherwise returns why it does not yet.
   */
  anchor(order: AnchorInput, signal: AbortSignal): Promise<AnchorOutput>;
}

/** Dependencies of report effects. */
export interface AuditReportDeps extends Pick<Services, 'blobs' | 'trust'> {
  readonly anchors: ReportAnchors;
}

/** Creates the `seal` effect, which writes the report and its root. */
export function createReportSealEffect({
  blobs,
}: AuditReportDeps): Effect<SealReportInput, WrittenReport> {
  return {
    run: async (order, context) => {
      const report = writeReport(order, blobs, context.now());
      const reportSha = await blobs.put(JSON.stringify(report));
      return { reportSha, root: report.root, confirmed: report.confirmed };
    },
    timeoutMs: MINUTE_MS,
    attempts: 5,
  };
}

/** Creates the `sign` effect. The same report always gives the same signed text. */
export function createSignEffect({
  blobs,
  trust,
}: AuditReportDeps): Effect<
  { readonly auditId: string; readonly reportSha: string },
  { signedSha: string }
> {
  return {
    run: async ({ reportSha }) => {
      const report = AuditReport.parse(loadStoredJson(blobs, reportSha));
      const statement = trust.signStatement({
        kind: AUDIT_STATEMENT,
        payload: toJson(report),
        issuedAt: Date.parse(report.ended_at),
      });
      return { signedSha: await blobs.put(JSON.stringify({ payload: report, statement })) };
    },
    timeoutMs: MINUTE_MS,
    attempts: 5,
  };
}

/** Creates the `anchor` effect, which returns the confirmed anchoring state. */
export function createAnchorEffect({
  anchors,
}: AuditReportDeps): Effect<AnchorInput, AnchorOutput> {
  return {
    run: (order, { signal }) => anchors.anchor(order, signal),
    timeoutMs: 2 * MINUTE_MS,
    attempts: 2,
  };
}
