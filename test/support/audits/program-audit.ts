import { prepareAudit } from '../../../src/actors/audit/audit-order.ts';
import { readAudit } from '../../../src/actors/audit/audit-view.ts';
import { waitForAudit } from '../../../src/actors/audit/audit-wait.ts';
import { readSignedReport } from '../../../src/actors/audit/signed-report.ts';
import { AuditRequest } from '../../../src/domain/audit/request.ts';
import type { AllowedCommand } from '../../../src/providers/target/audit-settings.ts';
import { realClock } from '../real-clock.ts';
import { desk } from './real-audit.ts';

const BY = { principal: { kind: 'local', id: 'test' }, paymentId: 'pay_1', payer: '0x1' } as const;
const OFFER = { plan: 'framework', priceMicroUsd: '5000000' } as const;

/**
 * Audits a program over stdio with all real probes to its end, those of tools that may write too.
 *
 * @returns The signed report.
 */
export async function auditProgram(program: AllowedCommand, waitMs: number) {
  const { deps, engine } = await desk(true, [program]);
  try {
    const request = AuditRequest.parse({ target: `stdio:${program.name}`, allow_writes: true });
    const { kind, input } = await prepareAudit(deps, request, OFFER, BY);
    await engine.create(kind, 'job_1', { ...input, jobId: 'job_1' });
    const { signal } = new AbortController();
    const state = await waitForAudit(deps, 'job_1', { waitMs, clock: realClock, signal });
    const { signedSha } = (await readAudit(engine, 'job_1')).context;
    if (signedSha === null) throw new Error(`no report: ${JSON.stringify(state)}`);
    return readSignedReport(deps.blobs, signedSha).report;
  } finally {
    await engine.close();
  }
}
