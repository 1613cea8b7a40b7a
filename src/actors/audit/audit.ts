import { auditMachine, version } from '../../machines/audit/audit.ts';
import type { AuditEvent } from '../../machines/audit/audit-setup.ts';
import { define } from '../../runtime/engine/define.ts';
import type { ActorEngine, Definition, Migration } from '../../runtime/engine/types.ts';
import { sendToPaidJob } from '../job/paid-job.ts';
import {
  type AuditEffectDeps,
  createConsentEffect,
  createLookEffect,
  createProbeEffect,
  createReconEffect,
  createReplayEffect,
} from './audit-effects.ts';
import { auditKind, readAudit } from './audit-view.ts';
import {
  type AuditReportDeps,
  createAnchorEffect,
  createReportSealEffect,
  createSignEffect,
} from './report-effects.ts';

/** Creates the actor definition of audits. */
export function defineAudit(deps: AuditEffectDeps & AuditReportDeps): Definition {
  return define({
    kind: auditKind.kind,
    version,
    machine: auditMachine,
    effects: {
      consent: createConsentEffect(deps),
      recon: createReconEffect(deps),
      probe: createProbeEffect(deps),
      look: createLookEffect(deps),
      replay: createReplayEffect(deps),
      seal: createReportSealEffect(deps),
      sign: createSignEffect(deps),
      anchor: createAnchorEffect(deps),
    },
    migrations: [auditFromVersion1],
  });
}

/**
 * Migrates an audit from version 1 unchanged. An audit that its target cut off and that has no
 * report yet ends under the terms of version 2, which charge nothing.
 */
export const auditFromVersion1: Migration = { from: 1, migrate: (persisted) => persisted };

/**
 * Cancels an audit for its buyer. Confirmed findings are published, and the price share of the
 * probes that did not run is refunded. Safe to repeat; has no effect once the report is being
 * written.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function cancelAudit(engine: ActorEngine, jobId: string): Promise<void> {
  await sendToAudit(engine, jobId, { type: 'CANCEL' });
}

/**
 * Stops an audit for the owner of its target; nothing more is sent there. Safe to repeat.
 *
 * @param by - How the owner was verified, such as `a file at its origin`.
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function stopAudit(engine: ActorEngine, jobId: string, by: string): Promise<void> {
  await sendToAudit(engine, jobId, { type: 'KILL', by });
}

/**
 * Records that the client has disconnected. The audit continues.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachAudit(engine: ActorEngine, jobId: string): Promise<void> {
  await sendToAudit(engine, jobId, { type: 'CLIENT.GONE' });
}

async function sendToAudit(engine: ActorEngine, jobId: string, event: AuditEvent): Promise<void> {
  await sendToPaidJob(engine, await readAudit(engine, jobId), event);
}
