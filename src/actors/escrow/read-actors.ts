import { AppError, type ErrorCode } from '../../domain/common/error.ts';
import type { JobContext } from '../../machines/escrow/job-context.ts';
import type { RequestContext } from '../../machines/escrow/request-context.ts';
import { stateName } from '../../runtime/engine/snapshot.ts';
import type { ActorEngine, View, ViewOf } from '../../runtime/engine/types.ts';
import { findOfKind } from '../common/find-actor.ts';
import { jobKind, requestKind } from './kinds.ts';

/** The committed state of a job. */
export type JobActorView = ViewOf<typeof jobKind.machine>;

/** A job as stored on disk. */
export interface JobActorState {
  readonly view: View;
  readonly state: string;
  readonly context: JobContext;
}

/** A request as stored on disk. */
export interface RequestActorState {
  readonly view: View;
  /** State as named in the API. */
  readonly state: 'open' | 'assigned' | 'withdrawn' | 'expired';
  readonly context: RequestContext;
}

/** Returns a job; `undefined` if no job has this id. */
export async function findJob(
  engine: ActorEngine,
  jobId: string,
): Promise<JobActorState | undefined> {
  const view = await findOfKind(engine, jobId, jobKind);
  return view === undefined ? undefined : readJobActor(view);
}

/**
 * Returns a job.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readJob(engine: ActorEngine, jobId: string): Promise<JobActorState> {
  return requireFound(await findJob(engine, jobId), 'JOB_UNKNOWN', jobId);
}

/**
 * Returns a request.
 *
 * @throws {AppError} `REQUEST_UNKNOWN`
 */
export async function readRequest(
  engine: ActorEngine,
  requestId: string,
): Promise<RequestActorState> {
  const view = await findOfKind(engine, requestId, requestKind);
  return readRequestActor(requireFound(view, 'REQUEST_UNKNOWN', requestId));
}

/** Reads the state of a job from its actor's view. */
export function readJobActor(view: JobActorView): JobActorState {
  return {
    view,
    state: stateName(view.value),
    context: view.context,
  };
}

/** Reads the state of a request from its actor's view. */
export function readRequestActor(view: ViewOf<typeof requestKind.machine>): RequestActorState {
  const name = stateName(view.value);
  const state = API_STATES[name];
  if (state === undefined) throw new AppError('INVARIANT', { message: `a request in ${name}` });
  return { view, state, context: view.context };
}

const API_STATES: Readonly<Record<string, RequestActorState['state']>> = {
  'listed.open': 'open',
  'listed.claimed': 'assigned',
  assigned: 'assigned',
  withdrawn: 'withdrawn',
  expired: 'expired',
};

function requireFound<Found>(found: Found | undefined, code: ErrorCode, received: string): Found {
  if (found === undefined) throw new AppError(code, { data: { received } });
  return found;
}
