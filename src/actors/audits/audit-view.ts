import { AppError } from '../../domain/error.ts';
import type { BlobStore } from '../../domain/ports/blob-store.ts';
import type { AuditContext } from '../../machines/parts/audit-context.ts';
import type { ActorEngine, View } from '../../runtime/types.ts';
import { fromEngine, isEngineCode } from '../engine-error.ts';

/** The kind of audit actors. */
export const AUDIT_KIND = 'audit';

/** An audit's view with its context by name. */
export interface AuditView extends Omit<View, 'context'> {
  readonly context: AuditContext;
}

/** What reading an audit needs. */
export interface AuditReadDeps {
  readonly engine: ActorEngine;
  readonly blobs: Pick<BlobStore, 'get'>;
}

/**
 * Reads the committed state of an audit. Other kinds of actors, and copies that somebody made to
 * look at, are as unknown as no actor.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function viewAudit(engine: ActorEngine, jobId: string): Promise<AuditView> {
  const view = await engine.view(jobId).catch((thrown: unknown) => {
    throw isEngineCode(thrown, 'ACTOR_UNKNOWN') ? unknownJob() : fromEngine(thrown);
  });
  const context = view.context as unknown as AuditContext;
  if (view.kind !== AUDIT_KIND || context.input.jobId !== jobId) throw unknownJob();
  return { ...view, context };
}

/**
 * Loads JSON that an audit keeps by hash.
 *
 * @throws {AppError} `INVARIANT` when it is gone.
 */
export function loadJson(blobs: Pick<BlobStore, 'get'>, sha: string): unknown {
  const text = blobs.get(sha);
  if (text === undefined) {
    throw new AppError('INVARIANT', { message: 'what an audit refers to is in the store' });
  }
  return JSON.parse(text) as unknown;
}

function unknownJob(): AppError {
  return new AppError('JOB_UNKNOWN');
}
