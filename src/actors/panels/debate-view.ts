import { AppError } from '../../domain/error.ts';
import type { PanelContext } from '../../machines/parts/panel-context.ts';
import type { ActorEngine, View } from '../../runtime/types.ts';
import { fromEngine, isEngineCode } from '../engine-error.ts';

/** The kind of debate actors. */
export const DEBATE_KIND = 'debate';

/** A debate's view with its context by name. */
export interface DebateView extends Omit<View, 'context'> {
  readonly context: PanelContext;
}

/**
 * Reads the committed state of a debate. Other kinds of actors are as unknown as no actor: a job id
 * is a capability, other ids are none.
 *
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function viewDebate(engine: ActorEngine, jobId: string): Promise<DebateView> {
  const view = await engine.view(jobId).catch((thrown: unknown) => {
    throw isEngineCode(thrown, 'ACTOR_UNKNOWN') ? unknownJob() : fromEngine(thrown);
  });
  if (view.kind !== DEBATE_KIND) throw unknownJob();
  const context = view.context as unknown as PanelContext;
  // A copy that somebody made to look at is nobody's job: what it did would be done twice.
  if (context.input.jobId !== jobId) throw unknownJob();
  return { ...view, context };
}

function unknownJob(): AppError {
  return new AppError('JOB_UNKNOWN');
}
