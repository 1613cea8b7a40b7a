import { AppError } from '../../domain/error.ts';
import type { PanelDefinition } from '../../domain/panel/definition.ts';
import { PANELS } from '../../domain/panel/panels.ts';
import type { PanelContext } from '../../machines/parts/panel-context.ts';
import type { ActorEngine, View } from '../../runtime/types.ts';
import { fromEngine, isEngineCode } from '../engine-error.ts';

/** A panel's view with its context by name, and what kind of panel it is. */
export interface PanelJob extends Omit<View, 'context'> {
  readonly context: PanelContext;
  readonly panel: PanelDefinition;
}

/**
 * Reads the committed state of a panel. Other kinds of actors are as unknown as no actor: a job id
 * is a capability, other ids are none.
 *
 * @param panels - The panels that there are; default the list of all.
 * @throws {AppError} `JOB_UNKNOWN`
 */
export async function viewPanel(
  engine: ActorEngine,
  jobId: string,
  panels: readonly PanelDefinition[] = PANELS,
): Promise<PanelJob> {
  const view = await engine.view(jobId).catch((thrown: unknown) => {
    throw isEngineCode(thrown, 'ACTOR_UNKNOWN') ? unknownJob() : fromEngine(thrown);
  });
  const panel = panels.find(({ kind }) => kind === view.kind);
  if (panel === undefined) throw unknownJob();
  const context = view.context as unknown as PanelContext;
  // A copy that somebody made to look at is nobody's job: what it did would be done twice.
  if (context.input.jobId !== jobId) throw unknownJob();
  return { ...view, context, panel };
}

function unknownJob(): AppError {
  return new AppError('JOB_UNKNOWN');
}
