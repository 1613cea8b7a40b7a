import { AppError } from '../../domain/error.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { type ReportEvent, reportMachine, version } from '../../machines/report.ts';
import { define } from '../../runtime/define.ts';
import type { ActorEngine, Definition } from '../../runtime/types.ts';
import { fromEngine, isEngineCode } from '../engine-error.ts';
import { beginEffect, composeEffect, type ReportDeps, stepEffect } from './report-effects.ts';
import { REPORT_KIND, viewReport } from './report-view.ts';

/** Makes the kind `report`: the machine, and what its effects do for all kinds of reports. */
export function defineReport(deps: ReportDeps): Definition {
  return define({
    kind: REPORT_KIND,
    version,
    machine: reportMachine,
    effects: {
      begin: beginEffect(deps),
      step: stepEffect(deps),
      compose: composeEffect(deps),
    },
  });
}

/**
 * Ends a report for its buyer; all of the price goes back. Safe to repeat, without effect once its
 * answer is being written.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function cancelReport(engine: ActorEngine, jobId: string): Promise<void> {
  await tellReport(engine, jobId, { type: 'CANCEL' });
}

/**
 * Notes that nobody waits on the line any more. The report goes on.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function detachReport(engine: ActorEngine, jobId: string): Promise<void> {
  await tellReport(engine, jobId, { type: 'CLIENT.GONE' });
}

async function tellReport(engine: ActorEngine, jobId: string, event: ReportEvent): Promise<void> {
  const { status } = await viewReport(engine, jobId);
  if (status !== 'active') return;
  try {
    await engine.tell(jobId, event, { idempotencyKey: event.type });
  } catch (thrown) {
    // It may have ended between the look and the telling.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw fromEngine(thrown);
  }
}

/** How long a paid job may take to come into being, and how often it is looked for. */
const CREATION_MS = { most: 10 * SECOND_MS, step: 20 } as const;

/**
 * Waits until the report exists: its payment creates it in the commit that settles.
 *
 * @throws {AppError} `JOB_UNKNOWN` when it has not come into being within ten seconds.
 */
export async function awaitReport(
  { engine, clock }: { readonly engine: ActorEngine; readonly clock: Clock },
  jobId: string,
): Promise<void> {
  const latest = clock.now() + CREATION_MS.most;
  for (;;) {
    try {
      await viewReport(engine, jobId);
      return;
    } catch (thrown) {
      const isMissing = thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN';
      if (!isMissing || clock.now() >= latest) throw thrown;
    }
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + CREATION_MS.step, resolve);
    });
  }
}
