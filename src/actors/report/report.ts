import { type ReportEvent, reportMachine, version } from '../../machines/report/report.ts';
import { define } from '../../runtime/engine/define.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';
import { sendToPaidJob } from '../job/paid-job.ts';
import {
  createBeginEffect,
  createComposeEffect,
  createStepEffect,
  type ReportDeps,
} from './report-effects.ts';
import { readReport, reportKind } from './report-view.ts';

/** Creates the actor definition of reports, with effects shared by all report kinds. */
export function defineReport(deps: ReportDeps): Definition {
  return define({
    kind: reportKind.kind,
    version,
    machine: reportMachine,
    effects: {
      begin: createBeginEffect(deps),
      step: createStepEffect(deps),
      compose: createComposeEffect(deps),
    },
  });
}

/**
 * Cancels a report for its buyer with a full refund. Safe to repeat; has no effect once the answer
 * is being composed.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function cancelReport(engine: ActorEngine, jobId: string): Promise<void> {
  await sendToReport(engine, jobId, { type: 'CANCEL' });
}

/**
 * Records that the client has disconnected. The report continues.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachReport(engine: ActorEngine, jobId: string): Promise<void> {
  await sendToReport(engine, jobId, { type: 'CLIENT.GONE' });
}

async function sendToReport(engine: ActorEngine, jobId: string, event: ReportEvent): Promise<void> {
  await sendToPaidJob(engine, await readReport(engine, jobId), event);
}
