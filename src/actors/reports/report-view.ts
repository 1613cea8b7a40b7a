import { AppError } from '../../domain/error.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import type { ReportContext } from '../../machines/parts/report-context.ts';
import type { ActorEngine, View } from '../../runtime/types.ts';
import { fromEngine, isEngineCode } from '../engine-error.ts';

/** The kind of report actors. */
export const REPORT_KIND = 'report';

/** A report's view with its context by name. */
export interface ReportView extends Omit<View, 'context'> {
  readonly context: ReportContext;
}

/** What reading a report needs. */
export interface ReportReadDeps {
  readonly engine: ActorEngine;
  readonly blobs: Pick<BlobStore, 'get'>;
}

/**
 * Reads the committed state of a report. Other kinds of actors, and copies that somebody made to
 * look at, are as unknown as no actor.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function viewReport(engine: ActorEngine, jobId: string): Promise<ReportView> {
  const view = await engine.view(jobId).catch((thrown: unknown) => {
    throw isEngineCode(thrown, 'ACTOR_UNKNOWN') ? unknownJob() : fromEngine(thrown);
  });
  const context = view.context as unknown as ReportContext;
  if (view.kind !== REPORT_KIND || context.input.jobId !== jobId) throw unknownJob();
  return { ...view, context };
}

/**
 * Loads JSON that a report keeps by hash.
 *
 * @throws {AppError} `INVARIANT` when it is gone.
 */
export function loadKept(blobs: Pick<BlobStore, 'get'>, sha: string): unknown {
  const text = blobs.get(sha);
  if (text === undefined) {
    throw new AppError('INVARIANT', { message: 'what a report refers to is in the store' });
  }
  return JSON.parse(text) as unknown;
}

function unknownJob(): AppError {
  return new AppError('JOB_UNKNOWN');
}
