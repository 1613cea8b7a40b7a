import { AppError, type ErrorCode } from '../../domain/common/error.ts';
import type { JobContext } from '../../machines/escrow/job-facts.ts';
import type { RequestContext } from '../../machines/escrow/request-facts.ts';
import { stateName } from '../../runtime/engine/snapshot.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { findActor } from '../common/find-actor.ts';
import { JOB_KIND, REQUEST_KIND } from './kinds.ts';

/** A job as stored on disk. */
export interface StandingJob {
  readonly view: View;
  readonly state: string;
  readonly context: JobContext;
}

/** A request as stored on disk. */
export interface StandingRequest {
  readonly view: View;
  /** State as named in the API. */
  readonly state: 'open' | 'assigned' | 'withdrawn' | 'expired';
  readonly context: RequestContext;
}

/** Returns a job; `undefined` if no job has this id. */
export async function findJob(
  engine: ActorEngine,
  jobId: string,
): Promise<StandingJob | undefined> {
  const view = await findActor(engine, jobId, JOB_KIND);
  return view === undefined ? undefined : standingJob(view);
}

/**
 * Returns a job.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function readJob(engine: ActorEngine, jobId: string): Promise<StandingJob> {
  return known(await findJob(engine, jobId), 'JOB_UNKNOWN', jobId);
}

/**
 * Returns a request.
 *
 * @throws {AppError} `REQUEST_UNKNOWN`
 */
export async function readRequest(
  engine: ActorEngine,
  requestId: string,
): Promise<StandingRequest> {
  const view = await findActor(engine, requestId, REQUEST_KIND);
  return standingRequest(known(view, 'REQUEST_UNKNOWN', requestId));
}

/** Reads the state of a job from its actor's view. */
export function standingJob(view: View): StandingJob {
  return {
    view,
    state: stateName(view.value),
    context: view.context as unknown as JobContext,
  };
}

/** Reads the state of a request from its actor's view. */
export function standingRequest(view: View): StandingRequest {
  const name = stateName(view.value);
  const state = BOARD_WORDS[name];
  if (state === undefined) throw new AppError('INVARIANT', { message: `a request in ${name}` });
  return { view, state, context: view.context as unknown as RequestContext };
}

const BOARD_WORDS: Readonly<Record<string, StandingRequest['state']>> = {
  'listed.open': 'open',
  'listed.claimed': 'assigned',
  assigned: 'assigned',
  withdrawn: 'withdrawn',
  expired: 'expired',
};

function known<Found>(found: Found | undefined, code: ErrorCode, received: string): Found {
  if (found === undefined) throw new AppError(code, { data: { received } });
  return found;
}
