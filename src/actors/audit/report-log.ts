import type { ReportStanding } from '../../domain/audit/published-audits.ts';
import { AUDITS_PATH } from '../../domain/audit/state.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { AnchorAnswer } from '../../machines/audit/audit-context.ts';
import type { ReportAnchors } from './report-effects.ts';

/** How long the log is waited for that records the report, and how often it is looked at. */
const RECORDED_MS = { most: 20 * SECOND_MS, step: 200 } as const;

/** The log of proofs as reports need it. */
export interface ReportLogParts {
  readonly log: Pick<ProofLog, 'find' | 'evidence'>;
  /** Anchors the log now; absent where the chain has no contract for it. */
  readonly anchorNow: (() => Promise<unknown>) | undefined;
  /** Says why a record has no anchor yet. */
  anchorReason(): string;
  /** Real time: the log is written and anchored by it. */
  readonly clock: Clock;
}

/** Where a report stands in the log and on the chain, now. */
export function standingOf(parts: ReportLogParts, auditId: string): ReportStanding {
  const { log, anchorNow } = parts;
  const [record] = log.find(auditId, 1);
  const place = { ref: auditId, records: `/v1/proofs/records?ref=${auditId}` };
  const anchor = record === undefined ? undefined : log.evidence.anchorOver(record.seq);
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
 * Brings reports onto the chain with the log that records them. The log is anchored at once for the
 * enterprise audit; other reports come with the next turn of the log.
 */
export function createReportAnchors(parts: () => Promise<ReportLogParts>): ReportAnchors {
  return {
    anchor: async ({ auditId, plan }, signal) => {
      const log = await parts();
      if (!(await isRecorded(log, auditId, signal))) {
        return { status: 'pending', reason: `The log has no record yet; see ${AUDITS_PATH}.` };
      }
      if (plan === 'enterprise') await log.anchorNow?.();
      return answerOf(standingOf(log, auditId));
    },
  };
}

function answerOf({ anchor_status, anchor_reason }: ReportStanding): AnchorAnswer {
  return { status: anchor_status, reason: anchor_reason };
}

async function isRecorded(
  { log, clock }: ReportLogParts,
  auditId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const latest = clock.now() + RECORDED_MS.most;
  while (log.find(auditId, 1).length === 0) {
    if (signal.aborted || clock.now() >= latest) return false;
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + RECORDED_MS.step, resolve);
    });
  }
  return true;
}
