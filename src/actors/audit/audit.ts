import type { Clock } from '../../domain/common/clock.ts';
import { type AuditEvent, auditMachine, version } from '../../machines/audit/audit.ts';
import { define } from '../../runtime/engine/define.ts';
import type { ActorEngine, Definition, Migration } from '../../runtime/engine/types.ts';
import { awaitPaidJob, tellPaidJob, undefinedWhereUnknown } from '../job/paid-job.ts';
import {
  type AskDeps,
  consentEffect,
  lookEffect,
  probeEffect,
  reconEffect,
  replayEffect,
} from './audit-effects.ts';
import { AUDIT_KIND, viewAudit } from './audit-view.ts';
import { anchorEffect, type ReportDeps, sealEffect, signEffect } from './report-effects.ts';

/** Makes the kind `audit`: the machine and what its effects do. */
export function defineAudit(deps: AskDeps & ReportDeps): Definition {
  return define({
    kind: AUDIT_KIND,
    version,
    machine: auditMachine,
    effects: {
      consent: consentEffect(deps),
      recon: reconEffect(deps),
      probe: probeEffect(deps),
      look: lookEffect(deps),
      replay: replayEffect(deps),
      seal: sealEffect(deps),
      sign: signEffect(deps),
      anchor: anchorEffect(deps),
    },
    migrations: [auditFromVersion1],
  });
}

/**
 * Takes an audit of version 1 over as it is: its states stayed. Where its target had cut it off and
 * its report is not written yet, it ends by the terms of version 2, which charge nothing for that.
 */
export const auditFromVersion1: Migration = { from: 1, migrate: (persisted) => persisted };

/**
 * Ends an audit for its buyer. What was confirmed is published; the share of the price goes back
 * of the probes that did not run. Safe to repeat, without effect once it is being reported.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function cancelAudit(engine: ActorEngine, jobId: string): Promise<void> {
  await tellAudit(engine, jobId, { type: 'CANCEL' });
}

/**
 * Ends an audit for the owner of its target: nothing more is sent there. Safe to repeat.
 *
 * @param by - How it was shown who asks, such as `a file at its origin`.
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function killAudit(engine: ActorEngine, jobId: string, by: string): Promise<void> {
  await tellAudit(engine, jobId, { type: 'KILL', by });
}

/**
 * Notes that nobody waits on the line any more. The audit goes on.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachAudit(engine: ActorEngine, jobId: string): Promise<void> {
  await tellAudit(engine, jobId, { type: 'CLIENT.GONE' });
}

async function tellAudit(engine: ActorEngine, jobId: string, event: AuditEvent): Promise<void> {
  await tellPaidJob(engine, await viewAudit(engine, jobId), event);
}

/**
 * Waits until the audit exists.
 *
 * @throws {AppError} `JOB_UNKNOWN` when it has not come into being within ten seconds.
 */
export async function awaitAudit(
  { engine, clock }: { readonly engine: ActorEngine; readonly clock: Clock },
  jobId: string,
): Promise<void> {
  await awaitPaidJob(() => viewAudit(engine, jobId).catch(undefinedWhereUnknown), clock);
}
