import type { AuditTargets } from '../../domain/audit/audit-target.ts';
import { CONSENT_PATH } from '../../domain/audit/consent.ts';
import type {
  ListedAudit,
  PublishedAudit,
  PublishedAudits,
} from '../../domain/audit/published-audits.ts';
import { targetOrigin } from '../../domain/audit/request.ts';
import { AUDITS_PATH } from '../../domain/audit/state.ts';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Services } from '../common/services.ts';
import { stopAudit } from './audit.ts';
import type { AuditIndex, AuditRow } from './audit-index.ts';
import { type AuditView, readAudit } from './audit-view.ts';
import { type ReportLogDeps, readReportStanding } from './report-log.ts';
import { withTarget } from './session/with-target.ts';
import { readSignedReport } from './signed-report.ts';

/** Text that an origin serves at {@link CONSENT_PATH} to stop its audits. */
export const STOP_WORD = 'stop';
const STOP_CHECK_LIMITS = { requestsMax: 2, totalMs: 10 * SECOND_MS } as const;
const STOP_BYTES_MAX = 1_024;

type Ports = Pick<Services, 'blobs' | 'engine'> & {
  readonly index: AuditIndex;
  readonly targets: AuditTargets;
  readonly proofs: ReportLogDeps;
};

/** Serves reports to anyone, and stops audits for the owners of their targets. */
export function createPublishedAudits(parts: Ports): PublishedAudits {
  const { engine, blobs, index, proofs } = parts;
  return {
    list: async ({ cursor, limit, origin }) => {
      await index.waitUntilCurrent();
      const given = cursor === undefined ? {} : { cursor };
      const page = index.page({ ...given, limit, ...(origin === undefined ? {} : { origin }) });
      const rows: ListedAudit[] = [];
      for (const row of page.rows) rows.push(createListedAudit(await readAudit(engine, row.jobId)));
      return { rows, cursor: page.cursor };
    },
    read: async (auditId) => {
      const { context } = await readAudit(engine, (await requireRow(index, auditId)).jobId);
      if (context.signedSha === null) throw new AppError('AUDIT_UNKNOWN');
      const { report, statement } = readSignedReport(blobs, context.signedSha);
      const proof = readReportStanding(proofs, auditId);
      return { payload: report, statement, proof } satisfies PublishedAudit;
    },
    stop: async (auditId, { nonce }) => {
      const row = await requireRow(index, auditId);
      if (row.isOver) return { audit_id: auditId, status: 'ended' };
      const view = await readAudit(engine, row.jobId);
      if (view.context.outcome !== null) return { audit_id: auditId, status: 'reporting' };
      const holds = nonce !== undefined && nonce === row.nonce;
      if (!holds) await assertStopRequested(parts, view);
      await stopAudit(engine, row.jobId, holds ? 'by the nonce' : 'by a file at its origin');
      const { outcome } = (await readAudit(engine, row.jobId)).context;
      const isToo = outcome !== null && outcome !== 'stopped';
      return { audit_id: auditId, status: isToo ? 'reporting' : 'stopping' };
    },
  };
}

async function requireRow(index: AuditIndex, auditId: string): Promise<AuditRow> {
  await index.waitUntilCurrent();
  const row = index.find(auditId);
  if (row === undefined) throw new AppError('AUDIT_UNKNOWN');
  return row;
}

/** Reads only the actor, because reports are large and a listing has many. */
function createListedAudit({ context, at }: AuditView): ListedAudit {
  const { input, signedSha, sealed } = context;
  const { auditId, plan, mode, target, origin } = input;
  const isThere = signedSha !== null;
  return {
    audit_id: auditId,
    plan,
    target: target.kind === 'mcp_stdio' ? origin : target.url,
    mode,
    status: isThere ? 'published' : 'working',
    outcome: isThere ? context.outcome : null,
    ended_at: isThere ? new Date(at).toISOString() : null,
    confirmed: isThere ? (sealed?.confirmed ?? null) : null,
    report: `${AUDITS_PATH}/${auditId}`,
  };
}

/** Queries the origin at the audited address, and throws unless it asks to stop the audit. */
async function assertStopRequested({ targets }: Ports, { context }: AuditView): Promise<void> {
  const { target, pinnedAddress, seed, auditId } = context.input;
  const order = { target, pinnedAddress, seed };
  const { signal } = new AbortController();
  const said = await withTarget(
    targets,
    order,
    { limits: STOP_CHECK_LIMITS, signal },
    async (opened) => {
      const answer = await opened.exchange?.({
        method: 'GET',
        path: CONSENT_PATH,
        answerBytesMax: STOP_BYTES_MAX,
      });
      return answer?.kind === 'answer' && answer.status === 200 ? answer.body.trim() : '';
    },
  );
  if (said === STOP_WORD || said === `${STOP_WORD} ${auditId}`) return;
  const place = `${targetOrigin(target)}${CONSENT_PATH}`;
  throw new AppError('AUDIT_UNPROVEN', {
    message:
      `Only the owner of the target can stop an audit: serve "${STOP_WORD}" or ` +
      `"${STOP_WORD} ${auditId}" as plain text at ${place}, or give the secret nonce of the ` +
      'consent (not its SHA-256, which anyone can read).',
    data: { place, allowed: [STOP_WORD, `${STOP_WORD} ${auditId}`] },
  });
}
