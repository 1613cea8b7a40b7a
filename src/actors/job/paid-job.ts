import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import type { ActorEngine, Ev, View } from '../../runtime/engine/types.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';
import { tellOnce } from '../common/tell-once.ts';

/**
 * Returns a paid job of the kinds that `isOwn` accepts. A job id is a capability, so actors of
 * other kinds are unknown here. Forked copies are unknown too: their effects would run twice.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readPaidJob<Own extends View>(
  engine: ActorEngine,
  jobId: string,
  isOwn: (view: View) => view is Own,
): Promise<Own> {
  const view = await findActor(engine, jobId).catch(rethrowAsAppError);
  if (view === undefined || !isOwn(view)) throw new AppError('JOB_UNKNOWN');
  const { input } = view.context;
  if (!isObject(input) || input['jobId'] !== jobId) throw new AppError('JOB_UNKNOWN');
  return view;
}

/** Returns the kind of an actor; `undefined` if it does not exist. */
export async function findKind(engine: ActorEngine, id: string): Promise<string | undefined> {
  return (await findActor(engine, id).catch(rethrowAsAppError))?.kind;
}

/** Sends an event to a paid job once. Does nothing if the job has ended. */
export async function sendToPaidJob(
  engine: ActorEngine,
  { id, status }: Pick<View, 'id' | 'status'>,
  event: Ev,
): Promise<void> {
  if (status !== 'active') return;
  try {
    await tellOnce(engine, id, event, event.type);
  } catch (thrown) {
    // The job may have ended since it was read.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw appErrorFromEngine(thrown);
  }
}

/** Error handler that turns `JOB_UNKNOWN` into `undefined` and rethrows everything else. */
export function ignoreUnknownJob(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'JOB_UNKNOWN') return undefined;
  throw thrown;
}

function rethrowAsAppError(thrown: unknown): never {
  throw appErrorFromEngine(thrown);
}
