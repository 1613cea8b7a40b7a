import type { ReportProofState } from '../../domain/audit/published-audits.ts';
import { AUDITS_PATH } from '../../domain/audit/state.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { AnchorOutput } from '../../machines/audit/audit-context.ts';
import type { ReportAnchors } from './report-effects.ts';

/** Longest wait for the log record of a report, and the polling interval, in milliseconds. */
const RECORD_WAIT_MS = { most: 20 * SECOND_MS, step: 200 } as const;

/** The proof log, as needed for reports. */
export interface ReportLogDeps {
  readonly log: Pick<ProofLog, 'find' | 'evidence'>;
  /** Anchors the log now; absent if the chain has no anchor contract. */
  readonly anchorNow: (() => Promise<unknown>) | undefined;
  /** Returns why a record has no anchor yet. */
  anchorReason(): string;
  /** Real time, because the log is written and anchored by it. */
  readonly clock: Clock;
}

/** Returns the current state of a report in the log and on the chain. */
export function readReportStanding(parts: ReportLogDeps, auditId: string): ReportProofState {
  const { log, anchorNow } = parts;
  const [record] = log.find(auditId, 1);
  const place = { ref: auditId, records: `/v1/proofs/records?ref=${auditId}` };
  const anchor = record === undefined ? undefined : log.evidence.findAnchorOf(record.seq);
  const seq = record?.seq ?? null;
  if (anchor === undefined) {
    const isPossible = anchorNow !== undefined;
    return {
      ...place,
      seq,
      anchor_status: isPossible ? 'pending' : 'not_configured',
      anchor_reason: parts.anchorReason(),
      anchor: null,
    };
  }
  const { transaction, block, size, root, chain_id, contract, account } = anchor;
  return {
    ...place,
    seq,
    anchor_status: 'anchored',
    anchor_reason: null,
    anchor: { transaction, block, size, root, chain_id, contract, account },
  };
}

/**
 * Creates the anchoring of reports. For the enterprise plan, the log is anchored immediately; other
 * reports follow with its next scheduled anchor.
 */
export function createReportAnchors(log: ReportLogDeps): ReportAnchors {
  return {
    anchor: async ({ auditId, plan }, signal) => {
      if (!(await waitUntilRecorded(log, auditId, signal))) {
        return { status: 'pending', reason: `The log has no record yet; see ${AUDITS_PATH}.` };
      }
      if (plan === 'enterprise') await log.anchorNow?.();
      return toAnchorAnswer(readReportStanding(log, auditId));
    },
  };
}

function toAnchorAnswer({ anchor_status, anchor_reason }: ReportProofState): AnchorOutput {
  return { status: anchor_status, reason: anchor_reason };
}

async function waitUntilRecorded(
  { log, clock }: ReportLogDeps,
  auditId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const latest = clock.now() + RECORD_WAIT_MS.most;
  while (log.find(auditId, 1).length === 0) {
    if (signal.aborted || clock.now() >= latest) return false;
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + RECORD_WAIT_MS.step, resolve);
    });
  }
  return true;
}
